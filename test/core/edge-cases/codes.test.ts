/** The codes that rows of rules 10.2 name: other tests prove which refusal a case meets, this one what it is called. */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { rejectError } from '../../../src/api/wire/reject-messages.ts';
import { rejected } from '../../../src/core/model/command-result.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import type { RefusalName } from '../dsl/words.ts';
import { openFloor } from '../trading-floor.ts';

const CODES: readonly (readonly [cases: string, RefusalName, code: string])[] = [
  ['14', 'belowMinimumAmount', '25611'],
  ['16', 'amountOffPrecision', '25610'],
  ['17', 'illegalCombination', '40017'],
  ['18, 23', 'buyAboveBand', '25206'],
  ['24, 25, 27', 'tooManyOpenOrders', '25211'],
  ['29', 'clientOidInUse', '25212'],
  ['45, 53', 'noPositionToClose', '25227'],
  ['46', 'closesWrongWay', '25232'],
  ['52', 'insufficientMargin', '25203'],
  ['56', 'closeAboveAvailable', '25225'],
  ['57', 'positionsOrOrdersOpen', '25010'],
  ['63', 'nothingToAmend', '25571'],
  ['64', 'notAmendable', '25568'],
  ['67', 'tooManyOutstandingAmends', '25572'],
  ['68', 'amendAfterFailure', '25573'],
  ['69, 70, 71', 'unknownOrder', '25204'],
  ['77', 'insufficientBalance', '25202'],
  ['101', 'leverageAboveMaximum', '25223'],
  ['102', 'leverageNeedsMargin', '25228'],
  ['103', 'aboveTier', '25233'],
  ['106', 'deliveryNear', '25106'],
  ['113', 'fullTpslExists', '25594'],
  ['114', 'partialTpslAbovePosition', '25595'],
  ['116', 'presetNotOpening', '25612'],
  ['117', 'longTakeProfitByLast', '25585'],
];

test('refusals of the edge cases go by the codes of the rule book', () => {
  const floor = openFloor();
  for (const [cases, rejectReason, code] of CODES) {
    const error = rejectError(floor.state, rejected(RejectReason[rejectReason]), floor.instrument());
    equal(error.code, code, `${rejectReason} of ${cases}`);
  }
});
