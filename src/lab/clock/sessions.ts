/**
 * The driven clock: time moves only while every participant waits. A participant, a session, says until when it has nothing to do;
 * the exchange goes on to the earliest of these instants, or to the first at which something is pushed to a socket, and
 * answers. A session that waits while requests are answered, or when answers and frames have left since it last
 * heard of the exchange, is answered at once: it has something to read first. So a client need not know what it still waits for.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AdminError } from '../../admin/admin-error.ts';
import { TIME_END } from '../../admin/advance-plan.ts';
import { DrivenClock, sourceOf } from '../../sequencer/clock.ts';
import type { Host, LabVenue } from '../host.ts';

/** Real time after which a session that does not wait is taken for gone. */
const SILENT_MS = 10_000;
const STEP_MS = 1000;
const SESSIONS_MAX = 64;
const ENDED_KEPT = 100;
/** Turns of the loop in which bytes that a client has sent become a request, and pushes become frames. */
const TURNS = 6;
/** While requests are answered it looks at each turn, after these less often. */
const BUSY_TURNS = 100;
const BUSY_POLL_MS = 1;

/** Why a wait has ended: its time has come, or there is something to read. */
export const WAIT_ENDS = ['time', 'activity'] as const;

export interface WaitAnswer {
  readonly time: number;
  readonly reason: (typeof WAIT_ENDS)[number];
}

interface Session {
  readonly id: string;
  until: number;
  /** Woken by its time alone. */
  onlyTime: boolean;
  /** Undefined while it does not wait. */
  answer: ((answer: WaitAnswer) => void) | undefined;
  /** Traffic that it knows of. */
  seen: number;
  /** The machine's time at which it was last answered or began to wait. */
  heardMs: number;
  waits: number;
  /** Between an answer and the next wait. */
  busyMs: number;
}

/** What it needs of the exchange around it. */
export interface DrivingHost extends Pick<Host<LabVenue>, 'traffic' | 'pushDue'> {
  readonly venue: Pick<LabVenue, 'sequencer' | 'ticker'>;
}

export class ClockSessions {
  readonly #host: DrivingHost;
  readonly #silentMs: number;
  readonly #sessions = new Map<string, Session>();
  readonly #ended: { session: string; time: number }[] = [];
  #driving = false;
  #silence: NodeJS.Timeout | undefined;
  /** Why nobody may wait now. */
  #held: string | undefined;
  #movingMs = 0;

  constructor(host: DrivingHost, silentMs = SILENT_MS) {
    this.#host = host;
    this.#silentMs = silentMs;
  }

  wait(id: string, until: number, onlyTime: boolean): Promise<WaitAnswer> | WaitAnswer | AdminError {
    const refusal = this.#refusal(id, until);
    if (refusal !== undefined) return refusal;
    const session = this.#sessions.get(id) ?? this.#begin(id);
    // It has changed its mind: what counts is the last.
    this.#answer(session, 'activity');
    const nowMs = performance.now();
    session.busyMs += nowMs - session.heardMs;
    session.heardMs = nowMs;
    session.waits++;
    session.onlyTime = onlyTime;
    session.until = until;
    const { now } = this;
    if (until <= now) return { time: now, reason: 'time' };
    return new Promise((resolve) => {
      session.answer = resolve;
      void this.#drive();
    });
  }

  report() {
    return {
      sessions: [...this.#sessions.values()].map(({ id, until, answer, waits, busyMs }) => ({
        session: id,
        waiting: answer !== undefined,
        idleUntil: until,
        waits,
        busyMs: Math.round(busyMs),
      })),
      ended: [...this.#ended],
      movingMs: Math.round(this.#movingMs),
    };
  }

  /** Ends all waits, and takes none before `resume`. */
  hold(reason: string): void {
    this.#held = reason;
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#answerAll();
  }

  resume(): void {
    this.#held = undefined;
    this.#sessions.clear();
  }

  private get now(): number {
    return this.#host.venue.sequencer.clock.now();
  }

  #refusal(id: string, until: number): AdminError | undefined {
    if (this.#held !== undefined) return new AdminError('busy', `nobody waits now: ${this.#held}`);
    if (!(sourceOf(this.#host.venue.sequencer.clock) instanceof DrivenClock))
      return new AdminError('not_allowed', 'the clock does not wait for anybody: start with --clock driven');
    if (until > TIME_END) return new AdminError('invalid_request', 'idleUntil: time ends with the year 2099');
    if (!this.#sessions.has(id) && this.#sessions.size >= SESSIONS_MAX)
      return new AdminError('limit_reached', `there are ${SESSIONS_MAX} sessions, which is the most`);
    return undefined;
  }

  #begin(id: string): Session {
    const session: Session = {
      id,
      until: 0,
      onlyTime: false,
      answer: undefined,
      seen: -1,
      heardMs: performance.now(),
      waits: 0,
      busyMs: 0,
    };
    this.#sessions.set(id, session);
    return session;
  }

  #answer(session: Session, reason: WaitAnswer['reason']): void {
    const { answer } = session;
    if (answer === undefined) return;
    session.answer = undefined;
    session.seen = this.#host.traffic().done;
    session.heardMs = performance.now();
    answer({ time: this.now, reason });
  }

  #answerAll(): void {
    for (const session of this.#sessions.values()) this.#answer(session, 'activity');
  }

  async #drive(): Promise<void> {
    if (this.#driving) return;
    this.#driving = true;
    try {
      while (this.#someWait() && (await this.#goOn())) {}
    } finally {
      this.#driving = false;
      this.#watchSilence();
    }
  }

  /** False when time stands. An exchange whose place another has taken on the way is left: the next round looks at that one. */
  async #goOn(): Promise<boolean> {
    const { venue } = this.#host;
    try {
      // One that has something to read is woken whatever others do.
      if (!(await this.#quiet()) || !this.#allWait()) return false;
      await this.#move();
      return true;
    } catch {
      if (this.#host.venue !== venue) return true;
      // It is down or has failed: a session that asks again learns of it.
      this.#answerAll();
      return false;
    }
  }

  #someWait(): boolean {
    return [...this.#sessions.values()].some(({ answer }) => answer !== undefined);
  }

  /** Sessions that only read the time do not move it. */
  #allWait(): boolean {
    const sessions = [...this.#sessions.values()];
    return sessions.some(({ onlyTime }) => !onlyTime) && sessions.every(({ answer }) => answer !== undefined);
  }

  /** Nothing is on its way to or from a client; false when somebody was woken for what has come. */
  async #quiet(): Promise<boolean> {
    const { ticker, sequencer } = this.#host.venue;
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    for (let turn = 0; this.#host.traffic().open > 0 || ticker.advancing; turn++)
      await (turn < BUSY_TURNS ? nextTurn() : sleep(BUSY_POLL_MS));
    await sequencer.durable();
    return !this.#wakeForTraffic();
  }

  #wakeForTraffic(): boolean {
    const { done } = this.#host.traffic();
    const stale = [...this.#sessions.values()].filter(({ onlyTime, seen }) => !onlyTime && seen !== done);
    for (const session of stale) this.#answer(session, 'activity');
    return stale.length > 0;
  }

  /** To the earliest instant that somebody waits for; with followers of topics second by second, as something may be pushed. */
  async #move(): Promise<void> {
    const began = performance.now();
    const { sequencer, ticker } = this.#host.venue;
    const clock = sourceOf(sequencer.clock);
    if (!(clock instanceof DrivenClock)) return;
    const target = Math.min(...[...this.#sessions.values()].map(({ until }) => until));
    const { subscriptions } = this.#host.traffic();
    const nextStep = (Math.floor(clock.now() / STEP_MS) + 1) * STEP_MS;
    // Without sockets time only stops where somebody waits for it, or never: then it must not run away in one go.
    const stride = subscriptions > 0 ? nextStep : nextStep + 3600 * STEP_MS;
    await ticker.advance(clock, Math.min(target, stride), STEP_MS);
    if (subscriptions > 0) {
      this.#host.pushDue();
      await sequencer.durable();
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    }
    this.#movingMs += performance.now() - began;
    const { now } = this;
    for (const session of this.#sessions.values()) if (session.until <= now) this.#answer(session, 'time');
    this.#wakeForTraffic();
  }

  /** One that neither waits nor comes back must not stop time for the others. */
  #watchSilence(): void {
    if (this.#silence !== undefined || this.#held !== undefined || this.#allWait()) return;
    if (!this.#someWait()) return;
    this.#silence = setTimeout(() => {
      this.#silence = undefined;
      const nowMs = performance.now();
      for (const { id, answer, heardMs } of this.#sessions.values()) {
        if (answer !== undefined || nowMs - heardMs < this.#silentMs) continue;
        this.#sessions.delete(id);
        if (this.#ended.length < ENDED_KEPT) this.#ended.push({ session: id, time: this.now });
      }
      void this.#drive();
    }, this.#silentMs).unref();
  }
}
