/** Commands as bytes of the journal: a number for the type, the time, then the fields (`command-layouts.ts`). */
import { ByteReader, ByteWriter, UnreadableRecord } from '../model/bytes.ts';
import type { Command, CommandType, SkipCommand, Undated } from '../model/command.ts';
import { type Layout, tableLayouts } from './command-layouts.ts';
import { ORDER_LAYOUTS } from './order-layouts.ts';
import { readOrderCommand } from './order-reader.ts';

type AnyLayout = Layout<Command>;

const BY_CODE: AnyLayout[] = [];
const BY_TYPE = {} as Record<CommandType, AnyLayout>;
for (const layout of [...tableLayouts(), ...(Object.values(ORDER_LAYOUTS) as unknown as AnyLayout[])]) {
  BY_CODE[layout.code] = layout;
  BY_TYPE[layout.blank.type] = layout;
}

/** A command as the journal holds it: with its time and a value for every optional field, and as bytes. */
export interface Stamped {
  readonly command: Command;
  /** Valid until the next command is encoded. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const writer = new ByteWriter();
const reader = new ByteReader(new Uint8Array(0));

/** Encodes a command under a time. The exchange applies the result, which is what a replay decodes. */
export function stampCommand(undated: Undated<Command>, time: number): Stamped {
  const layout = BY_TYPE[undated.type];
  writer.reset();
  writer.u8(layout.code);
  writer.f64(time);
  const command = layout.fields(writer, undated, time);
  return { command, bytes: writer.written() };
}

/** The bytes are valid until the next call. */
export function encodeCommand(command: Command): Uint8Array<ArrayBuffer> {
  return stampCommand(command, command.time).bytes;
}

export function decodeCommand(bytes: Uint8Array): Command {
  reader.reset(bytes);
  const code = reader.u8(0);
  const time = reader.f64(0);
  const command = readFields(code, time);
  reader.finish();
  return command;
}

/** For a replay, which has done with a command before it reads the next: this one is valid until then. */
export function decodeNextCommand(bytes: Uint8Array): Command {
  reader.reset(bytes);
  const code = reader.u8(0);
  const time = reader.f64(0);
  const command = readOrderCommand(code, reader, time) ?? readFields(code, time);
  reader.finish();
  return command;
}

/** The command that a record says is to be skipped, if it says so. */
export function skippedBy(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== BY_TYPE.skipCommand.code) return undefined;
  return (decodeCommand(bytes) as SkipCommand).seq;
}

function readFields(code: number, time: number): Command {
  const layout = BY_CODE[code];
  if (layout === undefined)
    throw new UnreadableRecord(`unknown command type ${code}: written by a newer version?`);
  return layout.fields(reader, layout.blank, time);
}
