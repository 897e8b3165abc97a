/** Calls of the operator's interface. */
import { BourseError } from './errors.ts';
import { httpCall, jsonCall } from './json-call.ts';

const OK = 200;

export class Operator {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.#call('GET', path);
  }

  post<Answer>(path: string, body: object = {}): Promise<Answer> {
    return this.#call('POST', path, body);
  }

  delete<Answer>(path: string): Promise<Answer> {
    return this.#call('DELETE', path);
  }

  /** An answer that is a file. */
  async download(path: string, body: object): Promise<Uint8Array> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await httpCall(this.url + path, 'POST', headers, JSON.stringify(body));
    if (answer.status === OK) return answer.body;
    const { error } = JSON.parse(answer.body.toString()) as { error: { code: string; message: string } };
    throw new BourseError(error.code, error.message);
  }

  async #call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.token}` };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = (await jsonCall(this.url + path, method, headers, text)) as {
      error?: { code: string; message: string };
    };
    if (answer.error !== undefined) throw new BourseError(answer.error.code, answer.error.message);
    return answer as Answer;
  }
}
