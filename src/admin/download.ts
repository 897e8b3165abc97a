/** An answer of the operator's interface that is a file. */
import { type TUnsafe, Type } from '../validation/schema.ts';

export class Download {
  readonly type: string;
  readonly name: string;
  readonly bytes: Uint8Array;

  constructor(type: string, name: string, bytes: Uint8Array) {
    this.type = type;
    this.name = name;
    this.bytes = bytes;
  }
}

/** Response schema of a route that answers with a file. */
export const FILE_ANSWER = Type.Unknown() as unknown as TUnsafe<Download>;
