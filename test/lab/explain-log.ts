/** Questions about commands that lie in a test as bytes, such as those of a trading floor. */
import assert from 'node:assert/strict';
import { Explainer } from '../../src/lab/explain/explainer.ts';
import type { Explanation, Question } from '../../src/lab/explain/explanation.ts';
import { FedPast } from '../../src/lab/explain/past.ts';

export function explainLog(log: readonly Uint8Array[], question: Question): Explanation {
  let end = 0;
  const ends = Uint32Array.from(log.map(({ length }) => (end += length)));
  const past = new FedPast();
  const bytes = new Uint8Array(end);
  for (const [n, payload] of log.entries()) bytes.set(payload, ends[n]! - payload.length);
  past.feed({ pieces: [{ firstSeq: 1, bytes, ends }], firstSeq: 1 });
  const answer = new Explainer(past).answer(question, log.length, { own: undefined, others: false });
  assert.ok(!('refused' in answer), JSON.stringify(answer));
  return answer;
}
