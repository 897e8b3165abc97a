import { hex } from './bytes.ts';
import { type Disk, withFile } from './disk.ts';
import { segmentName, segmentNumbers } from './file-names.ts';
import { JournalDamaged, UnknownFormat, WrongInstance } from './journal-errors.ts';
import {
  decodeSegmentHeader,
  SEGMENT_FORMAT_VERSION,
  SEGMENT_HEAD_BYTES,
  type SegmentHeader,
} from './segment-format.ts';

/** The headers of all segments, in order, without a gap, of one instance; anything else is refused. */
export function readSegmentHeaders(disk: Disk): SegmentHeader[] {
  const headers = segmentNumbers(disk.list()).map((segment) => readSegmentHeader(disk, segment));
  for (const [index, header] of headers.entries()) {
    const previous = headers[index - 1];
    if (previous !== undefined) refuseBreakBetween(previous, header);
  }
  return headers;
}

/** Whether nothing is missing between the state after a command, 0 for the empty one, and this segment. */
export function continues({ firstSeq }: SegmentHeader, seq: number): boolean {
  return firstSeq <= seq + 1;
}

function readSegmentHeader(disk: Disk, segment: number): SegmentHeader {
  const file = segmentName(segment);
  const head = withFile(disk.open(file), (opened) => opened.read(0, SEGMENT_HEAD_BYTES));
  const header = decodeSegmentHeader(head);
  if (header === undefined) throw damagedHead(file, segment, 'the segment header is not intact');
  if ('unknownVersion' in header)
    throw new UnknownFormat(file, header.unknownVersion, SEGMENT_FORMAT_VERSION);
  if (header.segment !== segment)
    throw damagedHead(file, segment, `the file holds segment ${header.segment}`);
  return header;
}

function refuseBreakBetween(previous: SegmentHeader, header: SegmentHeader): void {
  const file = segmentName(header.segment);
  if (hex(header.instanceId) !== hex(previous.instanceId)) {
    throw new WrongInstance(file, hex(header.instanceId), hex(previous.instanceId));
  }
  if (header.segment !== previous.segment + 1) {
    throw damagedHead(segmentName(previous.segment + 1), previous.segment + 1, 'the segment is missing');
  }
  if (header.firstSeq < previous.firstSeq || header.epoch < previous.epoch) {
    throw damagedHead(file, header.segment, 'the segment is older than the one before it');
  }
}

function damagedHead(file: string, segment: number, what: string): JournalDamaged {
  return new JournalDamaged(what, { file, segment, offset: 0, seq: 0 });
}
