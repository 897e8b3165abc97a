/** Sends an action; its answer is announced, and shown once where it holds a secret. */
import { signal } from '@preact/signals';
import { notify } from '../parts/notices.ts';
import type { Action, Values } from './actions.ts';
import { call } from './operator.ts';

/** Answers that are shown once, such as a new key with its secret. */
export const shownOnce = signal<{ readonly title: string; readonly text: string } | undefined>(undefined);

/** Returns why it was refused. */
export async function sendAction(action: Action, values: Values): Promise<string | undefined> {
  const { method, path, body } = action.request(values);
  const answer = await call<Record<string, unknown>>(method, path, body);
  if (!answer.ok) return answer.message;
  notify('good', action.title, 'done, and in the audit log');
  if (answer.data.secretKey !== undefined) shownOnce.value = secretOf(answer.data);
  return undefined;
}

function secretOf({ key, secretKey, passphrase }: Record<string, unknown>) {
  const { apiKey } = key as { apiKey: string };
  return {
    title: 'New key',
    text: `apiKey      ${apiKey}\nsecretKey   ${String(secretKey)}\npassphrase  ${String(passphrase)}`,
  };
}
