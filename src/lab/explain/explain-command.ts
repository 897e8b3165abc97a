/** One command applied once more, watched, on the exchange as it was before it. */
import type { Exchange } from '../../core/engine/exchange.ts';
import { marginView } from '../../core/explain/margin-terms.ts';
import type { Check } from '../../core/explain/rejections.ts';
import { Trace } from '../../core/explain/trace.ts';
import type { Command } from '../../core/model/command.ts';
import { CANCEL_REASON_NAMES, ORDER_STATUS_NAMES } from '../../core/model/enums.ts';
import type { Event, OrderRecord } from '../../core/model/event.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import type { State } from '../../core/state/state.ts';
import { describeCommand, ownerOf } from './describe-command.ts';
import type { Explanation, Moment } from './explanation.ts';
import { liquidationMoments } from './liquidation.ts';
import { momentOf, uidOf } from './moments.ts';
import { accountName, matchViews, postingViews, type Shows, stopped } from './view.ts';

/** Shown instead of an order that the asker may not see. */
const OF_ANOTHER = 'a command of another account';

export interface ExplainContext {
  readonly seq: number;
  /** The account that it is about; 0 for none. */
  readonly uid: number;
  readonly shows: Shows;
  /** Moments before the command. */
  readonly before: readonly Moment[];
}

export function explainCommand(exchange: Exchange, command: Command, context: ExplainContext): Explanation {
  const { state } = exchange;
  const { seq, uid, shows, before } = context;
  const owner = ownerOf(command);
  const ownCommand = owner === uid;
  const what = ownCommand || owner === 0 || shows(owner) ? describeCommand(state, command) : OF_ANOTHER;
  const trace = new Trace(state);
  exchange.applyTraced(command, seq, trace);
  const events = exchange.takeEvents();
  const liquidation = trace.liquidations.find((each) => each.uid === uid);
  const checks = checksOf(trace, uid, ownCommand);
  const account = state.accountByUid.get(uid);
  const margins = ownCommand ? trace.margin : undefined;
  const margin =
    liquidation?.margin ?? margins ?? (account === undefined ? null : marginView(state, account));
  const timeline = [
    ...before,
    ...(liquidation === undefined
      ? momentsOf(state, events, seq, uid, shows)
      : liquidationMoments(state, trace, events, uid, seq, shows)),
  ];
  return {
    what,
    verdict: ownCommand ? verdictOf(trace, events, uid) : sideVerdict(trace, events, uid),
    command: {
      seq,
      type: command.type,
      time: command.time,
      account: uid === 0 ? 'none' : accountName(uid, shows),
    },
    checks,
    matches: matchViews(state, trace, events, shows),
    postings: postingViews(trace, shows),
    margin: shows(uid) ? margin : null,
    timeline,
    rightWouldBe: checks
      .flatMap(({ rightWouldBe }) => (rightWouldBe === undefined ? [] : [rightWouldBe]))
      .join('; '),
    docs: docsOf(checks, timeline, liquidation !== undefined),
    replayed: 0,
  };
}

/** What happened to the account; of a command without one, as a tick is, to everybody whom the asker may see. */
function momentsOf(state: State, events: readonly Event[], seq: number, uid: number, shows: Shows): Moment[] {
  if (uid !== 0) return events.flatMap((event) => momentOf({ state, event, seq }, uid) ?? []);
  return events.flatMap((event) => {
    const owner = uidOf(event);
    const moment = owner === undefined || !shows(owner) ? undefined : momentOf({ state, event, seq }, owner);
    return moment === undefined ? [] : [{ ...moment, facts: { account: String(owner), ...moment.facts } }];
  });
}

/** The checks of the command's own order and of orders that strategy orders of the account placed; else the check that refused it. */
function checksOf({ orders, refused }: Trace, uid: number, ownCommand: boolean): Check[] {
  const own = orders.filter((order) => order.uid === uid).flatMap(({ checks }) => checks);
  return own.length > 0 || !ownCommand ? own : refused;
}

function verdictOf(trace: Trace, events: readonly Event[], uid: number): string {
  const { result, orders, refused, liquidations } = trace;
  if (liquidations.some((each) => each.uid === uid)) return 'liquidated';
  if (result !== undefined && result.rejectReason !== RejectReason.none) {
    const check = stopped(orders.flatMap(({ checks }) => checks)) ?? refused[0];
    return `refused: ${check?.reason ?? `reason ${result.rejectReason}`}`;
  }
  const items = result?.items ?? [];
  const failed = items.filter(({ rejectReason }) => rejectReason !== RejectReason.none).length;
  if (failed > 0) return `refused: ${failed} of ${items.length} items`;
  const placed = events.findLast(
    (event) => event.type === 'order' && event.order.orderId === result?.orderId,
  );
  return placed?.type === 'order' ? `accepted: ${statusOf(placed.order)}` : 'carried out';
}

/** What a command of another account, or of the exchange, did to an order of this one. */
function sideVerdict({ liquidations }: Trace, events: readonly Event[], uid: number): string {
  if (liquidations.some((each) => each.uid === uid)) return 'liquidated';
  if (events.some((event) => event.type === 'loanReduced' && event.uid === uid))
    return 'loan closed by force';
  const own = events.findLast((event) => event.type === 'order' && event.order.uid === uid);
  return own?.type === 'order' ? statusOf(own.order) : 'carried out';
}

function statusOf({ status, cancelReason }: OrderRecord): string {
  const why = CANCEL_REASON_NAMES[cancelReason];
  return `${ORDER_STATUS_NAMES[status]}${why === '' ? '' : `, ${why}`}`;
}

/** Sections of the rule book, each once. */
function docsOf(checks: readonly Check[], timeline: readonly Moment[], liquidation: boolean): string[] {
  const rules = [
    stopped(checks)?.rule,
    ...(liquidation ? ['rules 5.9', 'rules 5.11'] : []),
    ...timeline.map(({ rule }) => rule),
  ];
  return [...new Set(rules.filter((rule) => rule !== undefined))].map(
    (rule) => `docs/spec/rules.md: ${rule}`,
  );
}
