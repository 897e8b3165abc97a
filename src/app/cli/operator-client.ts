/**
 * Client of the operator's API of a running exchange, found through the endpoint file in the data directory or given
 * by flags.
 */
import { join } from 'node:path';
import { ADMIN_ENDPOINT_FILE, readAdminEndpoint, readToken } from '../../admin/token.ts';
import { startCall } from '../../program-name.ts';
import { ActionRefused, CannotStart, ConfigError } from '../exit-codes.ts';
import { dataOfListener } from '../start/port-owner.ts';
import { readReadyFile } from '../start/ready-file.ts';

export interface AdminEndpoint {
  readonly url: string;
  readonly token: string;
  /** The data directory whose endpoint file named it; undefined when flags did. */
  readonly data?: string;
}

/** `port` is the public port of the present settings: the exchange that listens there may be the one meant. */
export function endpointIn(data: string, port: number): AdminEndpoint {
  const note = readAdminEndpoint(data);
  if (note !== undefined) return { ...note, data };
  throw new CannotStart(
    `no exchange runs on ${data}: there is no ${ADMIN_ENDPOINT_FILE} in it. ${elsewhere(data, port)} ` +
      `Start it with: ${startCall(`--data ${data}`)}`,
  );
}

/** How to name another directory and, where the system shows it, which one. */
function elsewhere(data: string, port: number): string {
  const running = dataOfListener(port);
  return running === undefined || running.data === data
    ? 'If yours keeps its data elsewhere, name that directory with --data DIR (or BOURSE_DATA); ' +
        'one that runs in memory is found by its --ready-file, or by --operator URL and --token-file.'
    : `The one on port ${port} (process ${running.pid}) keeps its data in ${running.data}: add --data ${running.data}.`;
}

export function endpointAt(url: string, tokenFile: string | undefined): AdminEndpoint {
  if (tokenFile === undefined)
    throw new ConfigError('--operator needs --token-file with the token of that listener');
  if (!URL.canParse(url))
    throw new ConfigError(`--operator ${url} must be a URL such as http://127.0.0.1:8788`);
  return { url: url.replace(/\/$/, ''), token: readToken(tokenFile) };
}

/** The endpoint of an exchange that has written a ready file. */
export function endpointOf(readyFile: string): AdminEndpoint {
  const { operatorUrl, operatorToken } = readReadyFile(readyFile);
  if (operatorUrl === null || operatorToken === null)
    throw new CannotStart(`the exchange of ${readyFile} runs without an operator's listener`);
  return { url: operatorUrl, token: operatorToken };
}

const NOT_LET_IN = new Set(['not_authenticated', 'too_many_attempts']);

export class OperatorClient {
  readonly #endpoint: AdminEndpoint;
  readonly #operator: string;

  constructor(endpoint: AdminEndpoint, operator: string) {
    this.#endpoint = endpoint;
    this.#operator = operator;
  }

  get url(): string {
    return this.#endpoint.url;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.#call('GET', path, undefined);
  }

  post<Answer>(path: string, body: object = {}): Promise<Answer> {
    return this.#call('POST', path, JSON.stringify(body));
  }

  delete<Answer>(path: string): Promise<Answer> {
    return this.#call('DELETE', path, undefined);
  }

  /** An answer that is a file. */
  async download(path: string, body: object): Promise<Buffer> {
    const answer = await this.#send('POST', path, JSON.stringify(body));
    return Buffer.from(await answer.arrayBuffer());
  }

  async #call<Answer>(method: string, path: string, body: string | undefined): Promise<Answer> {
    const answer = await this.#send(method, path, body);
    return (await answer.json()) as Answer;
  }

  async #send(method: string, path: string, body: string | undefined): Promise<Response> {
    const { url, token } = this.#endpoint;
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      'x-operator': this.#operator,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const answer = await sent.catch((error: Error) => {
      throw unreachable(this.#endpoint, method, error);
    });
    if (answer.ok) return answer;
    const { code, message } = ((await answer.json()) as { error: { code: string; message: string } }).error;
    if (NOT_LET_IN.has(code)) throw notLetIn(this.#endpoint, message);
    throw new ActionRefused(code, message);
  }
}

function notLetIn({ url, data }: AdminEndpoint, message: string): CannotStart {
  const advice =
    data === undefined
      ? ''
      : `. ${join(data, ADMIN_ENDPOINT_FILE)} names this address: if another exchange has it now, name that one's directory with --data DIR`;
  return new CannotStart(`${url} does not let us in: ${message}${advice}`);
}

function unreachable({ url, data }: AdminEndpoint, method: string, error: Error): CannotStart {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  if (cause?.code === 'ECONNREFUSED') {
    const advice =
      data === undefined
        ? `Start it with: ${startCall()}`
        : `The address is from ${join(data, ADMIN_ENDPOINT_FILE)}; another directory is named with --data DIR. ` +
          `Start it with: ${startCall(`--data ${data}`)}`;
    return new CannotStart(`no exchange answers at ${url}: it is not running. ${advice}`);
  }
  const fate = method === 'GET' ? '' : '. Whether the action was carried out is in: bourse audit show';
  return new CannotStart(`the exchange at ${url} did not answer: ${cause?.message ?? error.message}${fate}`);
}
