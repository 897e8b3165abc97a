/** Rejections of moved positions (rules 5.16) and of commands of the operator. */
import { computeRisk, positionOf } from '../margin/margin.ts';
import { HoldMode, PosSide, Side } from '../model/enums.ts';
import { ACCOUNTS_MAX, MOVED_POSITIONS_MAX } from '../model/limits.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { type Facts, percentText, usdText } from './figures.ts';
import { available, boundQty, qty, rejection } from './rejection.ts';
import type { Subject } from './subject.ts';

const MOVE = 'rules 5.16';

function moveFacts(s: Subject): Facts {
  const { account, instrument, order } = s;
  if (account === undefined || instrument === undefined || order === undefined) return {};
  const long = order.side === Side.sell;
  const side = account.holdMode === HoldMode.oneWay ? PosSide.none : long ? PosSide.long : PosSide.short;
  const held = positionOf(account, instrument.index, side);
  return {
    from: String(account.uid),
    side: long ? 'sell' : 'buy',
    qty: qty(s, order.sizeLots),
    position: held === undefined ? 'none' : `${held.long ? 'long' : 'short'} ${qty(s, held.lots)}`,
  };
}

function riskOf(state: State, account: Account | undefined): Facts {
  if (account === undefined) return {};
  const { effective, initial, maintenance } = computeRisk(state, account);
  return {
    account: String(account.uid),
    equity: usdText(effective),
    initial: usdText(initial),
    maintenance: usdText(maintenance),
    ratio: maintenance === 0n ? '0 %' : percentText(maintenance, effective),
  };
}

const giver = (s: Subject): Facts => ({ ...moveFacts(s), ...riskOf(s.state, s.account) });
const receiver = (s: Subject): Facts => ({ ...moveFacts(s), ...riskOf(s.state, s.receiver) });

const detail = ({ result }: Subject): string => result.detail ?? '';

/** What the operator gave: commands of listings have many fields, and their detail names the wrong one. */
function given({ command }: Subject): Facts {
  const shown: [string, string][] = Object.entries(command)
    .filter(([, value]) => ['string', 'number', 'boolean', 'bigint'].includes(typeof value))
    .map(([name, value]) => [name, String(value)]);
  const facts = Object.fromEntries(
    shown.filter(([name]) => name !== 'type' && name !== 'time' && name !== 'by'),
  );
  if (command.type === 'listCoin') return { ...facts, coin: command.spec.coin };
  if (command.type !== 'listInstrument') return facts;
  const { category, symbol } = command.spec;
  return { ...facts, category, symbol };
}

export const REJECTED_OPERATIONS = {
  sameAccount: rejection(
    'giver and receiver differ',
    MOVE,
    ({ command }) =>
      'toUid' in command && 'fromUid' in command
        ? { from: String(command.fromUid), to: String(command.toUid) }
        : {},
    'two accounts of one party',
  ),
  tooManyMoves: rejection(
    'few enough positions are moved at once',
    MOVE,
    ({ command }) => ({ items: String(command.type === 'movePositions' ? command.items.length : 0) }),
    `at most ${MOVED_POSITIONS_MAX}`,
  ),
  noPositionToMove: rejection(
    'the giver has the position',
    MOVE,
    moveFacts,
    'a long for a sell, a short for a buy',
    (s) => (s.order?.side === Side.sell ? 'side buy, if a short is meant' : 'side sell, if a long is meant'),
  ),
  moveAbovePosition: rejection(
    'the position is large enough',
    MOVE,
    moveFacts,
    (s) => `at most ${boundQty(s)}`,
  ),
  giverNearLiquidation: rejection(
    'the giver is far enough from liquidation',
    MOVE,
    giver,
    'a margin ratio below 80 %',
    'more collateral in the giving account first',
  ),
  giverLacksMargin: rejection(
    'the giver covers what it keeps',
    MOVE,
    giver,
    'equity of at least the initial margin, or no less free than before',
    (s) => `more collateral in the giving account: ${available(s)} are free`,
  ),
  receiverLacksMargin: rejection(
    'the receiver covers what it takes',
    MOVE,
    receiver,
    'equity of at least the initial margin with the position',
    (s) => `a smaller quantity, or more collateral in the receiving account: ${available(s)} are free`,
  ),
  receiverTooRisky: rejection(
    'the receiver stays far enough from liquidation',
    MOVE,
    receiver,
    'a margin ratio below 90 % with the position',
    'a smaller quantity, or more collateral in the receiving account',
  ),
  moveOidInUse: rejection(
    'the client id is new',
    MOVE,
    ({ command }) => (command.type === 'movePositions' ? { clientOid: command.clientOid ?? '' } : {}),
    'not that of an earlier move',
    'another clientOid; the earlier move has been carried out already',
  ),

  alreadyExists: rejection('it is new', 'rules 9.2', given, detail, 'another name or reference'),
  invalidSpecification: rejection('what the operator gives is valid', 'rules 9.2', given, detail),
  accountsFull: rejection(
    'there is room for one more account',
    'rules 9.2',
    ({ state }) => ({ accounts: String(state.accountByUid.size) }),
    `fewer than ${ACCOUNTS_MAX}`,
    'an account that is open already',
  ),
} as const;
