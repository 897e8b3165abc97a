/** What rows of a matrix look at in a result. */
import assert from 'node:assert/strict';

export const positive = (value: unknown, what: string) =>
  assert.ok(Number(value) > 0, `${what}: ${String(value)}`);

export const some = (list: readonly unknown[], what: string) =>
  assert.ok(list.length > 0, `${what} are empty`);

/** Numbers as text or not, no further apart than half a unit of so many decimals: rounded, neighbours could differ. */
export const near = (value: unknown, expected: unknown, what: string, decimals = 4) =>
  assert.ok(
    Math.abs(Number(value) - Number(expected)) < 0.5 / 10 ** decimals,
    `${what}: ${String(value)} is not ${String(expected)}`,
  );

const POLL_MS = 100;
const PATIENCE_MS = 240_000;

/** What the question answers as soon as it answers with something. */
export async function until<T>(what: string, question: () => Promise<T | undefined>): Promise<T> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    const answer = await question();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return assert.fail(`${what}: not in ${PATIENCE_MS} ms`);
}

export async function refusedWith(code: string, call: Promise<unknown>): Promise<void> {
  const rejectReason = await call.then(
    () => undefined,
    (error: { body?: { code?: string } }) => error.body?.code,
  );
  assert.equal(rejectReason, code);
}
