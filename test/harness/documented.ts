/** Is a frame one of those that the published AsyncAPI document describes, on the path where it was seen? */
import { Compile } from 'typebox/compile';
import { asyncApiDocument } from '../../src/api/ws/asyncapi.ts';
import type { Frame } from './stream-client.ts';

interface Published {
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, object>> }>
  >;
  readonly components: { readonly messages: Readonly<Record<string, { readonly payload: object }>> };
}

// As a reader of `/asyncapi.json` has it: plain JSON.
const document = JSON.parse(JSON.stringify(asyncApiDocument())) as Published;
const servedAt = new Map(
  Object.values(document.channels).map(({ address, messages }) => [address, new Set(Object.keys(messages))]),
);
const checks = new Map<string, ReturnType<typeof Compile>>();

/** The name of its message in the document. */
export function messageOf(frame: Frame): string {
  if (typeof frame === 'string') return frame;
  if (frame.event === 'entry') return 'entry-reply';
  if (frame.event === 'explain') return 'explain-reply';
  if (frame.data !== undefined)
    return `${frame.skipped === undefined ? 'push' : 'inspect'}-${frame.arg?.topic}`;
  if (frame.event === 'login') return 'logged-in';
  if (frame.event === 'trade') return 'trade-reply';
  if (frame.event === 'error') return frame.id === undefined ? 'error' : 'trade-refusal';
  return 'acknowledgement';
}

export function assertDocumented(frame: Frame, path: string): void {
  const name = messageOf(frame);
  const message = document.components.messages[name];
  if (message === undefined || !servedAt.get(path)?.has(name)) {
    throw new Error(`/asyncapi.json has no message ${name} at ${path}: ${JSON.stringify(frame)}`);
  }
  let check = checks.get(name);
  if (check === undefined) {
    check = Compile(message.payload as Parameters<typeof Compile>[0]);
    checks.set(name, check);
  }
  if (check.Check(frame)) return;
  const why = [...check.Errors(frame)]
    .slice(0, 3)
    .map(({ instancePath, message: what }) => [instancePath, what]);
  throw new Error(
    `/asyncapi.json says otherwise about ${name}: ${JSON.stringify(why)} in ${JSON.stringify(frame)}`,
  );
}
