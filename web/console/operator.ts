/** The session of this page, and its calls to the operator's listener. The bearer lives in this tab alone. */
import { signal } from '@preact/signals';

export interface Session {
  readonly id: number;
  readonly operator: string;
  readonly expires: number;
  readonly bearer: string;
}

export type Answer<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly code: string; readonly message: string };

const STORED = 'bourse.console';

export const session = signal<Session | undefined>(stored());
/** Why there is none; empty at first. */
export const signedOut = signal('');
/** Grows with each action: what was fetched before is stale. */
export const revision = signal(0);

function stored(): Session | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '') as Session;
  } catch {
    return undefined;
  }
}

async function send<Data>(
  method: string,
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Answer<Data>> {
  try {
    const response = await fetch(path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const content = (await response.json()) as Data & { error?: { code: string; message: string } };
    return response.ok ? { ok: true, data: content } : { ok: false, ...content.error! };
  } catch {
    return { ok: false, code: 'unreachable', message: 'the exchange does not answer' };
  }
}

export async function call<Data>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer<Data>> {
  const answer = await send<Data>(method, path, body, { authorization: `Bearer ${session.value?.bearer}` });
  if (!answer.ok && answer.code === 'not_authenticated') forget('The session has ended.');
  if (answer.ok && method !== 'GET') revision.value += 1;
  return answer;
}

function keep(answer: Answer<Session>): string | undefined {
  if (!answer.ok) return answer.message;
  sessionStorage.setItem(STORED, JSON.stringify(answer.data));
  session.value = answer.data;
  return undefined;
}

/** Returns why it failed. */
export async function signInWithCode(code: string): Promise<string | undefined> {
  return keep(await send('POST', '/admin/session', { code }, {}));
}

/** The token itself is not kept: it is traded for a session like a code. */
export async function signInWithToken(token: string, operator: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}`, ...(operator !== '' && { 'x-operator': operator }) };
  return keep(await send('POST', '/admin/session', {}, headers));
}

/** The page forgets the session first: what it would still ask for could not be answered any more. */
export async function signOut(): Promise<void> {
  const { id, bearer } = session.value!;
  forget('');
  await send('DELETE', `/admin/sessions/${id}`, undefined, { authorization: `Bearer ${bearer}` });
}

export function forget(why: string): void {
  sessionStorage.removeItem(STORED);
  session.value = undefined;
  signedOut.value = why;
}
