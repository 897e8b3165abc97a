/** What rows of a matrix look at in a result. */
import assert from 'node:assert/strict';

export const positive = (value: unknown, what: string) =>
  assert.ok(Number(value) > 0, `${what}: ${String(value)}`);

export const some = (list: readonly unknown[], what: string) =>
  assert.ok(list.length > 0, `${what} are empty`);

export async function refusedWith(code: string, call: Promise<unknown>): Promise<void> {
  const refusal = await call.then(
    () => undefined,
    (error: { body?: { code?: string } }) => error.body?.code,
  );
  assert.equal(refusal, code);
}
