/** Talks to the operator's door of a running exchange, found through its note in the data directory or named by flags. */
import { DOOR_FILE, readDoorNote, readToken } from '../../operator/token.ts';
import { ActionRefused, CannotStart, ConfigError } from '../exit-codes.ts';

export interface DoorAddress {
  readonly url: string;
  readonly token: string;
}

export function doorIn(data: string): DoorAddress {
  const note = readDoorNote(data);
  if (note !== undefined) return note;
  throw new CannotStart(
    `no exchange runs on ${data}: there is no ${DOOR_FILE}. Start it with: npm start -- --data ${data}`,
  );
}

export function doorAt(url: string, tokenFile: string | undefined): DoorAddress {
  if (tokenFile === undefined)
    throw new ConfigError('--operator needs --token-file with the token of that door');
  if (!URL.canParse(url))
    throw new ConfigError(`--operator ${url} must be a URL such as http://127.0.0.1:8788`);
  return { url: url.replace(/\/$/, ''), token: readToken(tokenFile) };
}

const NOT_LET_IN = new Set(['not_authenticated', 'too_many_attempts']);

export class OperatorClient {
  readonly #door: DoorAddress;
  readonly #operator: string;

  constructor(door: DoorAddress, operator: string) {
    this.#door = door;
    this.#operator = operator;
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

  async #call<Answer>(method: string, path: string, body: string | undefined): Promise<Answer> {
    const { url, token } = this.#door;
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      'x-operator': this.#operator,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const answer = await sent.catch((error: Error) => {
      throw unreachable(url, method, error);
    });
    const content = (await answer.json()) as Answer | { error: { code: string; message: string } };
    if (answer.ok) return content as Answer;
    const { code, message } = (content as { error: { code: string; message: string } }).error;
    if (NOT_LET_IN.has(code)) throw new CannotStart(`${url} does not let us in: ${message}`);
    throw new ActionRefused(code, message);
  }
}

function unreachable(url: string, method: string, error: Error): CannotStart {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  if (cause?.code === 'ECONNREFUSED') {
    return new CannotStart(`no exchange answers at ${url}: it is not running. Start it with: npm start`);
  }
  const fate = method === 'GET' ? '' : '. Whether the action was carried out is in: bourse audit show';
  return new CannotStart(`the exchange at ${url} did not answer: ${cause?.message ?? error.message}${fate}`);
}
