/**
 * Client ids that act: with the laboratory on, an order whose `clientOid` begins with `sim-` says itself what becomes of it,
 * so that a program needs no other change than its ids.
 */
import type { CallFault } from '../../http/call-faults.ts';
import { WAIT_MS_MAX } from './fault-action.ts';
import type { Filling, HouseAccount, Wanted } from './house-account.ts';

const PREFIX = 'sim-';
const PARAMETER: CallFault & { kind: 'reject' } = { kind: 'reject', code: '40017', msg: undefined };
export const ACTING_WORDS =
  'sim-reject-CODE, sim-partial-PERCENT, sim-fill, sim-delay-MS, sim-lostack, sim-never, each with anything behind a hyphen';

type Meaning = Exclude<CallFault, { kind: 'act' }> | { readonly kind: 'fill'; readonly percent: number };

/** What the ids of a request say; undefined when none of them says anything. */
export function actingFault(
  clientOids: readonly (string | undefined)[],
  codes: ReadonlySet<string>,
  house: HouseAccount,
): CallFault | undefined {
  const acting = clientOids.filter((id) => id?.startsWith(PREFIX) === true) as string[];
  if (acting.length === 0) return undefined;
  const meanings = acting.map((id) => meaningOf(id, codes));
  const wrong = meanings.find((meaning) => typeof meaning === 'string');
  if (wrong !== undefined) return { ...PARAMETER, msg: wrong };
  const [first] = meanings as Meaning[];
  if (clientOids.length === 1 && first!.kind !== 'fill') return first;
  if ((meanings as Meaning[]).some(({ kind }) => kind !== 'fill'))
    return { ...PARAMETER, msg: 'clientOid: in a batch only sim-partial and sim-fill act' };
  const fillings = new Map(
    acting.map((id, n) => [id, { percent: percentOf(meanings[n]!), priceOffsetBps: 0 }]),
  );
  const fillingOf = ({ clientOid = '' }: Wanted): Filling | undefined => fillings.get(clientOid);
  return {
    kind: 'act',
    around: async (call, runHandler) => (await house.around(fillingOf, call, runHandler)).answer,
  };
}

function percentOf(meaning: Meaning | string): number {
  return typeof meaning === 'object' && meaning.kind === 'fill' ? meaning.percent : 0;
}

/** The mistake in words where it says nothing that is known. */
function meaningOf(clientOid: string, codes: ReadonlySet<string>): Meaning | string {
  const [word, argument = ''] = clientOid.slice(PREFIX.length).split('-');
  const number = /^[0-9]{1,6}$/.test(argument) ? Number(argument) : Number.NaN;
  switch (word) {
    case 'reject':
      if (codes.has(argument)) return { kind: 'reject', code: argument, msg: undefined };
      return `clientOid: sim-reject-CODE needs a code of the error catalogue, not ${JSON.stringify(argument)}`;
    case 'partial':
      if (number >= 1 && number <= 99) return { kind: 'fill', percent: number };
      return 'clientOid: sim-partial-PERCENT needs a percentage from 1 to 99';
    case 'delay':
      if (number <= WAIT_MS_MAX) return { kind: 'latency', at: 'after', ms: number };
      return `clientOid: sim-delay-MS needs milliseconds from 0 to ${WAIT_MS_MAX}`;
    case 'fill':
      return { kind: 'fill', percent: 100 };
    case 'lostack':
      return { kind: 'drop', at: 'after' };
    case 'never':
      return { kind: 'drop', at: 'before' };
    default:
      return `clientOid: what begins with sim- must be one of ${ACTING_WORDS}`;
  }
}
