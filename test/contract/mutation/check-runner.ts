/**
 * Stands in for `node:test` while `replay.ts` runs the contract again and again in one process: the same words, one
 * check after the other, and the end at the first that fails.
 */
type Work = () => unknown;

interface Scope {
  readonly title: string;
  readonly before: Work[];
  readonly beforeEach: Work[];
  readonly parts: (Scope | Check)[];
}

interface Check {
  readonly title: string;
  readonly call: (test: TestContext) => unknown;
}

interface TestContext {
  after(work: Work): void;
  diagnostic(): void;
}

const open: Scope[] = [];
const here = () => open.at(-1)!;
const emptyScope = (title: string): Scope => ({ title, before: [], beforeEach: [], parts: [] });

export function describe(title: string, body: Work): void {
  const scope = emptyScope(title);
  here().parts.push(scope);
  open.push(scope);
  body();
  open.pop();
}

export function it(title: string, call: Check['call']): void {
  here().parts.push({ title, call });
}

export const before = (work: Work) => here().before.push(work);
/** Nothing is left over between two plays. */
export const after = (_work: Work) => {};
export const beforeEach = (work: Work) => here().beforeEach.push(work);

/** A check that failed, with its title and its message. */
export class Failed extends Error {
  readonly title: string;

  constructor(title: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.title = title;
  }
}

function collected(body: Work): Scope {
  const stage = emptyScope('');
  open.push(stage);
  body();
  open.pop();
  return stage;
}

/** The titles of all checks that the body describes; nothing is run. */
export function titlesOf(body: Work): string[] {
  const titles = (scope: Scope): string[] =>
    scope.parts.flatMap((part) => ('parts' in part ? titles(part) : [part.title]));
  return titles(collected(body));
}

/** Collects what the body describes and runs it; resolves with the first failure, if there is one. */
export async function perform(body: Work): Promise<Failed | undefined> {
  const stage = collected(body);
  try {
    await run(stage, []);
    return undefined;
  } catch (failed) {
    return failed as Failed;
  }
}

async function run(scope: Scope, outer: readonly Work[]): Promise<void> {
  for (const work of scope.before) await attempt(scope.title, work);
  const eachTime = [...outer, ...scope.beforeEach];
  for (const part of scope.parts) {
    if ('parts' in part) {
      await run(part, eachTime);
      continue;
    }
    for (const work of eachTime) await attempt(part.title, work);
    const endings: Work[] = [];
    const test = { after: (work: Work) => void endings.push(work), diagnostic: () => {} };
    await attempt(part.title, () => part.call(test));
    for (const work of endings) await attempt(part.title, work);
  }
}

async function attempt(title: string, work: Work): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Failed(title, error);
  }
}
