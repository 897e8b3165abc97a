/** Answers questions about the past of an exchange by replaying it on a copy. Runs in a thread of its own. */
import { priceText, qtyText } from '../../core/explain/figures.ts';
import { marginView } from '../../core/explain/margin-terms.ts';
import { CATEGORY_NAMES, OrderStatus } from '../../core/model/enums.ts';
import type { Event } from '../../core/model/event.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney } from '../../core/model/units.ts';
import { type PositionView, positionViews } from '../../core/reads/position-reads.ts';
import { ownerOf } from './describe-command.ts';
import { explainCommand } from './explain-command.ts';
import type { Answer, Asker, Moment, Question, Unexplained } from './explanation.ts';
import { isLiquidationOf, LiquidationWatch, RiskTimeline } from './liquidation.ts';
import { momentOf } from './moments.ts';
import type { Past } from './past.ts';
import { Replayer, type ReplayVisitor } from './replayer.ts';
import type { Shows } from './view.ts';

/** An order is followed so far behind the command that placed it. */
const FOLLOWED_COMMANDS_MAX = 200_000;
const MOMENTS_MAX = 1_000;
/** Snapshots that are gone back to look for the last safe second before a liquidation. */
const STARTS_TRIED_MAX = 4;

type About<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

export class Explainer {
  readonly #replayer: Replayer;

  constructor(past: Past) {
    this.#replayer = new Replayer(past);
  }

  /** `lastSeq` must be durable. */
  answer(question: Question, lastSeq: number, asker: Asker): Answer {
    const before = this.#replayer.replayed;
    const answer = this.#find(question, lastSeq, asker);
    return 'refused' in answer ? answer : { ...answer, replayed: this.#replayer.replayed - before };
  }

  #find(question: Question, lastSeq: number, asker: Asker): Answer {
    switch (question.kind) {
      case 'command':
        return this.#command(question.seq, lastSeq, asker);
      case 'id':
        return this.#id(question, lastSeq, asker);
      case 'clientOid':
        return this.#clientOid(question, lastSeq, asker);
      case 'liquidation':
        return this.#liquidation(question.uid, lastSeq, asker);
      case 'position':
        return this.#position(question, lastSeq);
    }
  }

  /** `about`: the account whose side is shown, where it is not that of the command. */
  #command(
    seq: number,
    lastSeq: number,
    asker: Asker,
    about?: number,
    before: readonly Moment[] = [],
  ): Answer {
    const { oldest } = this.#replayer;
    if (seq > lastSeq) return unknown(`there is no command ${seq} yet: the last one is ${lastSeq}`);
    if (seq < oldest) return gone(`command ${seq} is not in the journal any more`, oldest);
    const command = this.#replayer.command(seq, lastSeq);
    if (command === undefined) return unknown(`command ${seq} could not be applied and was skipped`);
    const uid = about ?? ownerOf(command);
    if (asker.own !== undefined && !asker.own.includes(uid))
      return unknown(`command ${seq} is not one of this account`);
    const { exchange } = this.#replayer.after(seq - 1);
    return explainCommand(exchange, command, { seq, uid, shows: showing(asker, uid), before });
  }

  #id({ id, text, what }: About<'id'>, lastSeq: number, asker: Asker): Answer {
    const unheardOf = unknown(`there is no ${what === 'fill' ? 'fill' : 'order'} ${text}`);
    const seq = this.#replayer.givenBy(id, lastSeq);
    if (seq === undefined) {
      const { state } = this.#replayer.after(lastSeq).exchange;
      return id > state.lastId
        ? unheardOf
        : gone(`what made ${text} is not in the journal any more`, this.#replayer.oldest);
    }
    const uid = this.#ownerOfId(id, seq, lastSeq);
    if (uid === undefined || (asker.own !== undefined && !asker.own.includes(uid))) return unheardOf;
    if (what === 'liquidation') return this.#liquidated(seq, uid, lastSeq, asker);
    const answer = this.#command(seq, lastSeq, asker, uid);
    if ('refused' in answer || what === 'fill') return answer;
    return { ...answer, timeline: [...answer.timeline, ...this.#followed(id, uid, seq, lastSeq)] };
  }

  /** Whose order or fill an id is that a command gave; undefined when it is of something else. */
  #ownerOfId(id: number, seq: number, lastSeq: number): number | undefined {
    const { exchange } = this.#replayer.after(seq - 1);
    exchange.apply(this.#replayer.command(seq, lastSeq)!, seq);
    for (const event of exchange.takeEvents()) {
      if ((event.type === 'order' || event.type === 'strategyOrder') && event.order.orderId === id)
        return event.order.uid;
      if (event.type === 'fill' && (event.fill.execId === id || event.fill.execLinkId === id))
        return event.fill.uid;
    }
    return undefined;
  }

  /** What later commands did to an order, to its end. */
  #followed(orderId: number, uid: number, seq: number, lastSeq: number): Moment[] {
    const moments: Moment[] = [];
    let ended = false;
    this.#replayer.after(Math.min(lastSeq, seq + FOLLOWED_COMMANDS_MAX), ({ state }, logged) => {
      const own = state.events.filter((event) => isAbout(event, orderId));
      ended ||= own.some(isEnd);
      if (logged.seq > seq)
        moments.push(...own.flatMap((event) => momentOf({ state, event, seq: logged.seq }, uid) ?? []));
      return ended || moments.length >= MOMENTS_MAX;
    });
    return moments;
  }

  #clientOid({ uid, clientOid }: About<'clientOid'>, lastSeq: number, asker: Asker): Answer {
    let found: number | undefined;
    for (const { seq, command } of this.#replayer.commands(lastSeq)) {
      if (command.type !== 'placeOrder' && command.type !== 'placeStrategy') continue;
      if (command.uid === uid && command.clientOid === clientOid) found = seq;
    }
    if (found !== undefined) return this.#command(found, lastSeq, asker);
    return unknown(`account ${uid} has sent no order with the clientOid ${clientOid}${this.#since()}`);
  }

  #liquidation(uid: number, lastSeq: number, asker: Asker): Answer {
    const found = this.#replayer.backwards(lastSeq, (start, end) => {
      let last: number | undefined;
      const watch = new LiquidationWatch(uid);
      const visit: ReplayVisitor = ({ state }, { seq }) => {
        if (watch.takeBegun() || state.events.some((event) => isLiquidationOf(event, uid))) last = seq;
        return false;
      };
      this.#replayer.run(start, end, visit, { tracer: watch });
      return last;
    });
    if (found === undefined) return unknown(`account ${uid} has not been liquidated${this.#since()}`);
    return this.#liquidated(found, uid, lastSeq, asker);
  }

  /** With the seconds since the last safe one. */
  #liquidated(seq: number, uid: number, lastSeq: number, asker: Asker): Answer {
    let timeline = new RiskTimeline(uid);
    for (let tries = 0, from = seq - 1; tries < STARTS_TRIED_MAX && !timeline.isWhole && from >= 0; tries++) {
      timeline = new RiskTimeline(uid);
      from = this.#replayer.since(from, seq - 1, ({ state }, logged) => {
        timeline.note(state, logged.seq);
        return false;
      });
    }
    return this.#command(seq, lastSeq, asker, uid, timeline.moments());
  }

  #position({ uid, symbol }: About<'position'>, lastSeq: number): Answer {
    const { state } = this.#replayer.after(lastSeq).exchange;
    const account = state.accountByUid.get(uid);
    const views = positionViews(state, uid, { symbol });
    if (account === undefined || views.length === 0)
      return unknown(`account ${uid} has no position in ${symbol}`);
    return {
      what: `position of account ${uid} in ${symbol}`,
      verdict: views
        .map(({ long, isolated }) => `${isolated ? 'isolated' : 'crossed'} ${long ? 'long' : 'short'}`)
        .join(', '),
      command: { seq: lastSeq, type: 'none', time: state.now, account: String(uid) },
      checks: [],
      matches: [],
      postings: [],
      margin: marginView(state, account),
      timeline: views.map((view) => positionMoment(view, lastSeq, state.now)),
      rightWouldBe: '',
      docs: ['docs/spec/rules.md: rules 5.4', 'docs/spec/rules.md: rules 5.7'],
      replayed: 0,
    };
  }

  #since(): string {
    const { oldest } = this.#replayer;
    return oldest === 1 ? '' : ` since command ${oldest}, the oldest that can be explained`;
  }
}

function positionMoment(view: PositionView, seq: number, time: number): Moment {
  const { instrument } = view;
  const at = (ticks: number) => (ticks === 0 ? 'none' : priceText(instrument, ticks));
  return {
    time,
    seq,
    what: `${view.long ? 'long' : 'short'} since ${view.createdTime}`,
    facts: {
      positionId: formatOrderId(view.positionId),
      category: CATEGORY_NAMES[instrument.category],
      size: qtyText(instrument, view.totalLots),
      leverage: String(view.leverage),
      averagePrice: at(view.averageTicks),
      mark: at(view.markTicks),
      liquidationPrice: at(view.liquidationTicks),
      breakEven: at(view.breakEvenTicks),
      unrealised: formatMoney(view.unrealised),
      realised: formatMoney(view.realised),
      funding: formatMoney(view.funding),
      openFee: formatMoney(view.openFee),
      closeFee: formatMoney(view.closeFee),
    },
  };
}

/** An account sees its own; the operator sees the account in question, and all when it asks for all. */
function showing({ own, others }: Asker, about: number): Shows {
  if (others) return () => true;
  return (uid) => uid !== 0 && (uid === about || own?.includes(uid) === true);
}

function isAbout(event: Event, orderId: number): boolean {
  if (event.type === 'order' || event.type === 'strategyOrder') return event.order.orderId === orderId;
  return event.type === 'fill' && event.fill.orderId === orderId;
}

function isEnd(event: Event): boolean {
  return (
    event.type === 'order' &&
    (event.order.status === OrderStatus.filled || event.order.status === OrderStatus.cancelled)
  );
}

const unknown = (message: string): Unexplained => ({ refused: 'unknown', message });
const gone = (message: string, oldest: number): Unexplained => ({
  refused: 'gone',
  message: `${message}: the oldest that can be explained is command ${oldest}`,
  oldest,
});
