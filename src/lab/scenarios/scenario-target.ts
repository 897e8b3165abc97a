/** The exchange that a scenario runs against: it is reached by calls like those of any client, and its state can be read. */
import { createHmac } from 'node:crypto';
import type { Identity } from '../../identity/identity.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';

// No import, for every start reads this file (`src/http/front.ts`).
const { request } = process.getBuiltinModule('node:http');

export interface Keys {
  readonly name: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

/** Functions, as a revert or an outage replaces the running exchange. */
export interface ScenarioTargetOptions {
  readonly url: () => string;
  readonly operatorUrl: () => string;
  readonly token: () => string;
  readonly keys: () => readonly Keys[];
  readonly sequencer: () => Sequencer;
  readonly identity: () => Identity;
  readonly market: () => MarketSimulator | undefined;
}

/** A call that was refused or not answered; the message says what. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string };
}

export class ScenarioTarget {
  readonly options: ScenarioTargetOptions;

  constructor(options: ScenarioTargetOptions) {
    this.options = options;
  }

  get sequencer(): Sequencer {
    return this.options.sequencer();
  }

  /** A call of the operator's interface. Throws CallFailed. */
  async operator<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.options.token()}`, 'x-operator': 'scenario' };
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = (await call(this.options.operatorUrl() + path, method, headers, text)) as Refusal;
    if (answer.error !== undefined) throw new CallFailed(`${method} ${path}: ${answer.error.message}`);
    return answer as Answer;
  }

  /** A call of the public interface, signed where an account is named; resolves with the answer's code. Throws CallFailed. */
  async call(
    account: string | undefined,
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ readonly code: string; readonly msg: string }> {
    const text = method === 'GET' || body === undefined ? '' : JSON.stringify(body);
    const headers = account === undefined ? {} : signed(this.#keysOf(account), method, path, text);
    return (await call(this.options.url() + path, method, headers, text)) as { code: string; msg: string };
  }

  #keysOf(account: string): Keys {
    const known = this.options.keys();
    const found = known.find(({ name }) => name === account);
    if (found !== undefined) return found;
    throw new CallFailed(
      `there are no keys of ${account}: a scenario calls as ${known.map(({ name }) => name).join(', ')}`,
    );
  }
}

function signed({ apiKey, secretKey, passphrase }: Keys, method: string, path: string, text: string) {
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', secretKey)
    .update(timestamp + method + path + text)
    .digest('base64');
  return {
    'access-key': apiKey,
    'access-sign': sign,
    'access-timestamp': timestamp,
    'access-passphrase': passphrase,
  };
}

function call(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  text: string,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new CallFailed(`${method} ${new URL(url).pathname}: ${error.message}`));
    const sent = request(url, {
      method,
      headers: { ...headers, ...(text !== '' && { 'content-type': 'application/json' }) },
    });
    sent.on('error', failed);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', failed);
      response.on('end', () => {
        const answer = Buffer.concat(parts).toString();
        try {
          resolve(JSON.parse(answer));
        } catch {
          failed(new Error(`status ${response.statusCode}, not JSON: ${answer.slice(0, 80)}`));
        }
      });
    });
    sent.end(text);
  });
}
