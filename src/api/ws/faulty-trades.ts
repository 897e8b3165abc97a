/** Orders over a socket that meet faults of the laboratory: what `http/faulty-calls.ts` does to requests. */
import type { AdmittedCall, CallFault, CallFaults } from '../../http/call-faults.ts';
import { garbled, RESPONSE_CODES } from '../http/faulty-calls.ts';

/** There is no clock in them that could be wrong. */
export const FAULTS_OF_TRADES: ReadonlySet<CallFault['kind']> = new Set([
  'latency',
  'drop',
  'status',
  'garble',
  'reject',
  'act',
]);

export interface FaultyTrade {
  readonly call: AdmittedCall;
  /** Carries it out. */
  readonly answer: () => Promise<string>;
  readonly refuse: (code: string, msg: string | undefined) => string;
  /** Ends the socket. */
  readonly cut: () => void;
}

/** The text that is sent; undefined when none is. */
export async function answerFaulty(
  fault: CallFault,
  faults: CallFaults,
  { call, answer, refuse, cut }: FaultyTrade,
): Promise<string | undefined> {
  const isBefore = 'at' in fault && fault.at === 'before';
  if (fault.kind === 'reject') return refuse(fault.code, fault.msg);
  if (fault.kind === 'act') return (await fault.around(call, answer)) as string;
  if (isBefore && fault.kind === 'latency' && !(await waited(faults, fault.ms, cut))) return undefined;
  const answered = isBefore && fault.kind !== 'latency' ? '' : await answer();
  if (isBefore && fault.kind === 'latency') return answered;
  switch (fault.kind) {
    case 'latency':
      return (await waited(faults, fault.ms, cut)) ? answered : undefined;
    case 'drop':
      cut();
      return undefined;
    case 'status':
      return refuse(RESPONSE_CODES[fault.status], undefined);
    case 'garble':
      return garbled(fault.how, answered, 'args');
    default:
      return answered;
  }
}

/** False when the socket was ended meanwhile. */
function waited(faults: CallFaults, ms: number, cut: () => void): Promise<boolean> {
  return new Promise((resolve) =>
    faults.wait(
      ms,
      () => resolve(true),
      () => {
        cut();
        resolve(false);
      },
    ),
  );
}
