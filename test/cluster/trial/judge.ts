/**
 * Holds what clients were told against the log (cluster 10). The log is the order, so everything is compared with one replay of it
 * and nothing is searched for. A finding begins with a word that names its kind.
 */
import { isDeepStrictEqual } from 'node:util';
import type { StoredPack } from '../../../src/cluster/engine.ts';
import { DEADLINE_MS } from '../../../src/cluster/shared-log.ts';
import type { Call } from './notes.ts';
import { type Executed, ReplayedLog } from './replayed-log.ts';

/** A node that has heard nothing for so long does not answer any more (cluster 6.2). */
const SILENT_MAX_MS = 2_000;
/** What was confirmed a moment ago may still be on its way to a node. */
const ON_ITS_WAY_MS = 1_000;
/** From the client to its node, which counts from the receipt; less than a node is stopped for. */
const ARRIVES_WITHIN_MS = 2_000;

/** A node at the end, when clients send nothing any more: its state after one command, and its digest after one pack. */
export interface NodeState {
  readonly name: string;
  readonly seq: number;
  readonly hash: string;
  readonly no: number;
  readonly digest: number;
}

export interface Evidence {
  readonly packs: Iterable<StoredPack>;
  readonly calls: readonly Call[];
  readonly nodes: readonly NodeState[];
}

export interface Judgement {
  readonly findings: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

const VALUE_SHOWN = 200;

const isRead = ({ action }: Call) => action !== 'place' && action !== 'cancel';

export function judge({ packs, calls, nodes }: Evidence): Judgement {
  const reads = calls.filter((call) => isRead(call) && call.outcome === 'done');
  const replayed = new ReplayedLog(
    packs,
    reads,
    nodes.map(({ seq }) => seq),
  );
  const findings = [
    ...replayed.findings,
    ...calls.flatMap((call) => orderFindings(call, replayed)),
    ...reads.flatMap((read) => readFindings(read, replayed)),
    ...finalFindings(calls, replayed),
    ...orderOfTime(calls, replayed),
    ...sessionFindings(calls),
    ...staleReads(calls, reads),
    ...nodeFindings(nodes, calls, replayed),
  ];
  const count = (outcome: Call['outcome']) =>
    calls.filter((call) => !isRead(call) && call.outcome === outcome).length;
  return {
    findings,
    counts: {
      acknowledged: count('done'),
      refused: count('refused'),
      'not executed': count('not executed'),
      unknown: count('unknown'),
      'reads compared': reads.length,
      packs: replayed.lastNo,
      voided: replayed.voided,
    },
  };
}

function orderFindings(call: Call, replayed: ReplayedLog): string[] {
  if (call.action === 'place') return placeFindings(call, replayed.placed.get(call.clientOid) ?? []);
  if (call.action === 'cancel') return cancelFindings(call, replayed.cancelled.get(call.orderId ?? '') ?? []);
  return [];
}

function placeFindings(call: Call, found: readonly Executed[]): string[] {
  const { clientOid, outcome, orderId, seq, sentMs } = call;
  const findings: string[] = [];
  if (found.length > 1)
    findings.push(`DOUBLED: ${clientOid} was executed as ${found.map((each) => each.seq).join(' and ')}`);
  const accepted = found.find((each) => each.accepted);
  if (outcome === 'done' && accepted === undefined)
    findings.push(`LOST: ${clientOid} was acknowledged with ${seq ?? 'no number'}`);
  else if (outcome === 'done') {
    if (accepted!.orderId !== orderId)
      findings.push(`TOLD: ${clientOid} is order ${accepted!.orderId}, told was ${orderId}`);
    if (seq !== undefined && accepted!.seq > seq)
      findings.push(`NUMBER: ${clientOid} is command ${accepted!.seq}; the answer knew ${seq} only`);
  }
  if (outcome === 'refused' && accepted !== undefined)
    findings.push(`EXECUTED: ${clientOid} was refused and stands as command ${accepted.seq}`);
  if (outcome === 'not executed' && found.length > 0)
    findings.push(`EXECUTED: ${clientOid} was not executed, they said; it is command ${found[0]!.seq}`);
  for (const { at } of found)
    if (at > sentMs + ARRIVES_WITHIN_MS + DEADLINE_MS)
      findings.push(`LATE: ${clientOid} was executed ${at - sentMs} ms after it was sent`);
  return findings;
}

/** A client cancels an order once. */
function cancelFindings({ clientOid, outcome, seq }: Call, found: readonly Executed[]): string[] {
  const accepted = found.find((each) => each.accepted);
  if (outcome === 'done' && accepted === undefined)
    return [`LOST: the cancellation of ${clientOid} was acknowledged with ${seq ?? 'no number'}`];
  if (outcome === 'done' && seq !== undefined && accepted!.seq > seq)
    return [`NUMBER: the cancellation of ${clientOid} is ${accepted!.seq}; the answer knew ${seq} only`];
  if ((outcome === 'refused' && accepted !== undefined) || (outcome === 'not executed' && found.length > 0))
    return [`EXECUTED: the cancellation of ${clientOid} was ${outcome}; it is command ${found[0]!.seq}`];
  return [];
}

function readFindings(read: Call, { shown, lastSeq }: ReplayedLog): string[] {
  const { id, action, clientOid, seq, data } = read;
  const what = `${action} ${clientOid} of ${read.uid} on ${read.node} (${id})`;
  if (seq === undefined) return [`READ: ${what} has no number`];
  if (seq > lastSeq) return [`AHEAD: ${what} knows command ${seq}; the log ends with ${lastSeq}`];
  const right = shown.get(id);
  if (isDeepStrictEqual(data, right)) return [];
  return [`READ: ${what} at ${seq}: ${difference(data, right)}`];
}

/** Where two values begin to differ. */
function difference(told: unknown, right: unknown, at = ''): string {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  if (!isObject(told) || !isObject(right))
    return `${at} was ${JSON.stringify(told)?.slice(0, VALUE_SHOWN)}, the log says ${JSON.stringify(right)?.slice(0, VALUE_SHOWN)}`;
  const [one, other] = [told, right] as [Record<string, unknown>, Record<string, unknown>];
  const names = Object.keys({ ...one, ...other });
  const name = names.find((each) => !isDeepStrictEqual(one[each], other[each]));
  return name === undefined ? '' : difference(one[name], other[name], `${at}.${name}`);
}

/** After an unknown outcome and the time of the deadline, "there is no such order" is final on every node. */
function finalFindings(calls: readonly Call[], { placed }: ReplayedLog): string[] {
  const answered = new Map(
    calls.filter(({ action }) => action === 'place').map((call) => [call.clientOid, call.answeredMs]),
  );
  return calls
    .filter(({ action, outcome, data }) => action === 'look up' && outcome === 'done' && data === undefined)
    .filter(({ clientOid, sentMs }) => sentMs > (answered.get(clientOid) ?? Infinity) + DEADLINE_MS)
    .filter(({ clientOid }) => placed.get(clientOid)?.some(({ accepted }) => accepted) === true)
    .map(
      ({ clientOid, seq }) => `FINAL: ${clientOid} did not exist at ${seq}, after its deadline; it does now`,
    );
}

/** What was answered before another was sent stands before it. */
function orderOfTime(calls: readonly Call[], { placed, cancelled }: ReplayedLog): string[] {
  const numbered = calls
    .filter((call) => !isRead(call) && call.outcome === 'done')
    .flatMap((call) => {
      const found = call.action === 'place' ? placed.get(call.clientOid) : cancelled.get(call.orderId ?? '');
      const seq = found?.find(({ accepted }) => accepted)?.seq;
      return seq === undefined ? [] : [{ call, seq }];
    });
  const answered = numbered.toSorted((a, b) => a.call.answeredMs! - b.call.answeredMs!);
  const findings: string[] = [];
  let [next, before] = [0, 0];
  for (const { call, seq } of numbered.toSorted((a, b) => a.call.sentMs - b.call.sentMs)) {
    for (; next < answered.length && answered[next]!.call.answeredMs! < call.sentMs; next++)
      before = Math.max(before, answered[next]!.seq);
    if (seq < before)
      findings.push(
        `ORDER: ${call.action} ${call.clientOid} is ${seq}; ${before} was answered before it was sent`,
      );
  }
  return findings;
}

/** A session never goes back. */
function sessionFindings(calls: readonly Call[]): string[] {
  const findings: string[] = [];
  for (const [session, own] of Map.groupBy(calls, (call) => call.session)) {
    let last = 0;
    for (const { id, seq, outcome } of own.toSorted((a, b) => a.sentMs - b.sentMs)) {
      if (seq === undefined || outcome !== 'done') continue;
      if (seq < last) findings.push(`SESSION: ${session} was at ${last} and then at ${seq} (${id})`);
      last = Math.max(last, seq);
    }
  }
  return findings;
}

/** Nobody is shown a state in which something is missing that was acknowledged long before he asked. */
function staleReads(calls: readonly Call[], reads: readonly Call[]): string[] {
  const acknowledged = calls
    .filter(({ outcome, seq }) => outcome === 'done' && seq !== undefined)
    .toSorted((a, b) => a.answeredMs! - b.answeredMs!);
  const findings: string[] = [];
  let [next, known] = [0, 0];
  for (const { id, node, seq, sentMs } of reads.toSorted((a, b) => a.sentMs - b.sentMs)) {
    const oldest = sentMs - SILENT_MAX_MS - ON_ITS_WAY_MS;
    for (; next < acknowledged.length && acknowledged[next]!.answeredMs! < oldest; next++)
      known = Math.max(known, acknowledged[next]!.seq!);
    if (seq !== undefined && seq < known)
      findings.push(`STALE: ${node} showed ${seq}, ${known} was known 3 s before (${id})`);
  }
  return findings;
}

function nodeFindings(nodes: readonly NodeState[], calls: readonly Call[], replayed: ReplayedLog): string[] {
  const told = Math.max(
    0,
    ...calls.map((call) => (isRead(call) || call.outcome !== 'done' ? 0 : (call.seq ?? 0))),
  );
  return nodes.flatMap(({ name, seq, hash, no, digest }) => {
    if (seq < told) return [`BEHIND: ${name} is at ${seq}, ${told} was acknowledged`];
    const right = replayed.hashes.get(seq) === hash && replayed.digestAfter(no) === digest;
    return right ? [] : [`HASH: ${name} at ${seq} differs from the replay of the log`];
  });
}
