/**
 * Interface 7: a refusal of the 23 endpoints has a code, and a message that fits it: which field is wrong, or what stands in
 * the way. The interface has no catalogue; this is ours, and every row of it occurs (`occurrence.contract.ts`).
 */
import assert from 'node:assert/strict';

export const REJECTIONS: Readonly<Record<string, RegExp>> = {
  // Who calls.
  '40001': /header ACCESS-KEY/,
  '40003': /header ACCESS-SIGN/,
  '40005': /header ACCESS-TIMESTAMP/,
  '40011': /header ACCESS-PASSPHRASE/,
  '40014': /permission|read_write API key/,
  '40029': /broker/,
  // What is asked.
  '40007': /Content-Type/,
  '40017':
    /^parameter \S+ (must be a |must have at most|may hold)|withdraw permission requires|^startTime must |days apart|one category|once|JSON|at least one|at most 30|one leverage/,
  '40019': /must not be empty|must be given/,
  '40020': /must be one of|must be 1 |for futures only/,
  '40036': /passphrase/,
  '40306': /at most 20 orders/,
  // What the exchange says to it.
  '25100': /trading pair/,
  '25200': /must be given|filled quantity|must be at least/,
  '25201': /^coin must be one/,
  '25202': /balance is insufficient/,
  '25204': /^Order does not exist$/,
  '25223': /leverage must be at most/,
  '25225': /free to close/,
  '25568': /cannot be modified/,
  '25572': /at most 5 modifications/,
  '25573': /earlier modification failed/,
};

/** Codes that a refusal of the 23 endpoints has had in this run. */
export const rejected = new Set<string>();

export function assertRejection(code: string, msg: string, call: string): void {
  const says = REJECTIONS[code];
  assert.ok(says, `interface 7: ${call} is refused with ${code}, which is in no row: ${msg}`);
  assert.match(msg, says, `interface 7: ${call} is refused with ${code}`);
  rejected.add(code);
}
