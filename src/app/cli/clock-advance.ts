/**
 * Follows the advance of a manual clock, however long it takes. The request may be ended by a proxy or a limit of the
 * HTTP client while the exchange goes on, so the progress is polled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '../exit-codes.ts';
import type { OperatorClient } from './operator-client.ts';

export interface Advanced {
  readonly from: number;
  readonly time: number;
  readonly events: Readonly<Record<string, number>>;
  /** Target, when it ended before. */
  readonly until?: number;
}
interface ClockView {
  readonly time: number;
  readonly advance?: {
    readonly from: number;
    readonly until: number;
    readonly ended: boolean;
    readonly events: Readonly<Record<string, number>>;
  };
}

const POLL_MS = 300;

export interface Observer {
  /** Share done, from 0 to 1. */
  readonly show: (share: number) => void;
  /** True once the user wants it to end. */
  readonly halted: () => boolean;
}

/** At the operator's path, or at one that answers with more. */
export async function followAdvance<Answer extends Advanced = Advanced>(
  client: OperatorClient,
  body: object,
  { show, halted }: Observer,
  path = '/admin/clock/advance',
): Promise<Answer | Advanced> {
  const before = (await client.get<ClockView>('/admin/clock')).advance;
  let answer: Answer | undefined;
  let lost: CannotStart | undefined;
  const asked = client.post<Answer>(path, body).then(
    (done) => {
      answer = done;
    },
    (error: unknown) => {
      if (!(error instanceof CannotStart)) throw error;
      lost = error;
    },
  );
  let halting = false;
  for (;;) {
    await (lost === undefined ? Promise.race([asked, sleep(POLL_MS)]) : sleep(POLL_MS));
    const { advance, time } = await client.get<ClockView>('/admin/clock');
    if (answer !== undefined) return withGoal(answer, advance?.until);
    const ours = advance !== undefined && (advance.from !== before?.from || !advance.ended);
    if (lost !== undefined && !ours) throw lost;
    if (!ours) continue;
    const { from, until, ended, events } = advance;
    if (lost !== undefined && ended) return withGoal({ from, time, events }, until);
    show(until === from ? 1 : (time - from) / (until - from));
    if (!halted() || halting || ended) continue;
    halting = true;
    // It may have ended just now.
    await client.post('/admin/clock/halt').catch(() => {});
  }
}

function withGoal<Done extends Advanced>(done: Done, until = done.time): Done {
  return done.time < until ? { ...done, until } : done;
}
