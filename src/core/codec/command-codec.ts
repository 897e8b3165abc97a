/** Commands as bytes of the log: a number for the type, the time, then the fields (`command-layouts.ts`). */
import { ByteReader, ByteWriter, UnreadableRecord } from '../model/bytes.ts';
import type { Command, CommandType } from '../model/command.ts';
import { type Layout, tableLayouts } from './command-layouts.ts';
import { ORDER_LAYOUTS } from './order-layouts.ts';

type AnyLayout = Layout<Command>;

const BY_CODE: AnyLayout[] = [];
const BY_TYPE = {} as Record<CommandType, AnyLayout>;
for (const layout of [...tableLayouts(), ...(Object.values(ORDER_LAYOUTS) as unknown as AnyLayout[])]) {
  BY_CODE[layout.code] = layout;
  BY_TYPE[layout.blank().type] = layout;
}

const writer = new ByteWriter();
const reader = new ByteReader(new Uint8Array(0));

/** The bytes are valid until the next call. */
export function encodeCommand(command: Command): Uint8Array<ArrayBuffer> {
  const layout = BY_TYPE[command.type];
  writer.reset();
  writer.u8(layout.code);
  writer.f64(command.time);
  layout.fields(writer, command);
  return writer.written();
}

export function decodeCommand(bytes: Uint8Array): Command {
  reader.reset(bytes);
  const code = reader.u8(0);
  const layout = BY_CODE[code];
  if (layout === undefined)
    throw new UnreadableRecord(`unknown command type ${code}: written by a newer version?`);
  const command = layout.blank();
  command.time = reader.f64(0);
  layout.fields(reader, command);
  reader.finish();
  return command;
}
