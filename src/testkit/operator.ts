/** Calls of the operator's interface. */
import { BourseError } from './errors.ts';
import { jsonCall } from './json-call.ts';

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
