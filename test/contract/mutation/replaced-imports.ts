/** What the contract imports from outside is replaced, for those that import this first and the contract after it. */
import { registerHooks } from 'node:module';

/** What the contract imports, and what it gets here. */
const STAND_INS: readonly (readonly [specifier: string, standIn: string])[] = [
  ['node:test', './check-runner.ts'],
  ['../harness/hosted-server.ts', './taped-server.ts'],
  ['../security/hostile/raw-http.ts', './taped-packets.ts'],
  ['../harness/stream-client.ts', './taped-stream.ts'],
];

const used = new Set<string>();

/** Those that nothing has imported: the contract would then reach the real thing in a playback. */
export const unusedStandIns = (): string[] =>
  STAND_INS.map(([specifier]) => specifier).filter((specifier) => !used.has(specifier));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const standIn = STAND_INS.find(([each]) => each === specifier)?.[1];
    const ofContract = /\/test\/contract\/[^/]+$/.test(context.parentURL ?? '');
    if (standIn === undefined || !ofContract) return nextResolve(specifier, context);
    used.add(specifier);
    return nextResolve(new URL(standIn, import.meta.url).href, context);
  },
});
