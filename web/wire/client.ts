/** Calls over HTTP, signed when there is a key. Each call goes to a listener that can show or repeat it. */
import type { Signer } from './sign.ts';

export type Answer<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly code: string; readonly msg: string };

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: object | undefined;
  /** Empty for a call without signature. */
  readonly signed: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
  readonly msg: string;
  readonly answer: string;
  readonly ms: number;
  /** Requests that the limit of this call leaves in its second; undefined where the answer has none. */
  readonly left: number | undefined;
}

/** The code of an answer that never came. */
export const UNREACHABLE = 'unreachable';

export class ApiClient {
  readonly #origin: string;
  readonly #signer: Signer | undefined;
  readonly #onCall: (call: Call) => void;

  constructor(origin: string, signer: Signer | undefined, onCall: (call: Call) => void = () => undefined) {
    this.#origin = origin;
    this.#signer = signer;
    this.#onCall = onCall;
  }

  get<Data>(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer<Data>> {
    return this.send('GET', `/api/v3/${path}`, query, undefined);
  }

  post<Data>(path: string, body: object): Promise<Answer<Data>> {
    return this.send('POST', `/api/v3/${path}`, {}, body);
  }

  /** Any call of the interface, by its whole path. */
  async send<Data>(
    method: 'GET' | 'POST',
    path: string,
    query: Readonly<Record<string, string>>,
    body: object | undefined,
  ): Promise<Answer<Data>> {
    const search = new URLSearchParams(query).toString();
    const target = search === '' ? path : `${path}?${search}`;
    const text = body === undefined ? '' : JSON.stringify(body);
    const timestamp = String(Date.now());
    const base = this.#signer === undefined ? '' : `${timestamp}${method}${target}${text}`;
    const headers = await this.#headers(timestamp, base);
    const begun = performance.now();
    const tell = (status: number, code: string, msg: string, answer: string, left?: number) => {
      const ms = performance.now() - begun;
      this.#onCall({
        method,
        path,
        query,
        body,
        signed: base,
        headers,
        status,
        code,
        msg,
        answer,
        ms,
        left,
      });
    };
    try {
      const response = await fetch(this.#origin + target, {
        method,
        headers,
        ...(body !== undefined && { body: text }),
      });
      const answer = await response.text();
      const { code, msg, data } = JSON.parse(answer) as { code: string; msg: string; data: Data };
      const left = response.headers.get('x-mbx-used-remain-limit');
      tell(response.status, code, msg, answer, left === null ? undefined : Number(left));
      return code === '00000' ? { ok: true, data } : { ok: false, code, msg };
    } catch {
      const msg = 'the exchange does not answer';
      tell(0, UNREACHABLE, msg, '');
      return { ok: false, code: UNREACHABLE, msg };
    }
  }

  async #headers(timestamp: string, base: string): Promise<Record<string, string>> {
    const signer = this.#signer;
    if (signer === undefined) return {};
    return {
      'content-type': 'application/json',
      'access-key': signer.apiKey,
      'access-passphrase': signer.passphrase,
      'access-timestamp': timestamp,
      'access-sign': await signer.sign(base),
    };
  }
}
