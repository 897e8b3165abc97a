/**
 * A refusal of the core, as the laboratory explains it (`lab/explain`): every check with its values, its bound and what would be
 * right. The request still has the numbers as they were sent, which the command has not when they are off the grid.
 */
import { formatUnits, parseUnits } from '../../../core/model/units.ts';
import { fieldsOf, itemsOf, parsed, textOf } from '../../../inspector/entry-summary.ts';
import type { Entry } from '../../../inspector/recorder.ts';

export interface ExplainedCheck {
  readonly check: string;
  readonly rule: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly bound: string;
  readonly verdict: 'passed' | 'refused' | 'not reached';
  readonly reason?: string;
  readonly rightWouldBe?: string;
}

/** An explanation as the page shows it. */
export interface CommandExplanation {
  readonly what: string;
  readonly verdict: string;
  readonly checks: readonly ExplainedCheck[];
  readonly rightWouldBe: string;
  readonly docs: readonly string[];
}

/** Explains a command to the account that sent it; a text says why not. */
export type ExplainCommand = (seq: number, uid: number) => Promise<CommandExplanation | string>;

/** Which field of a request a reason is about, and which value of the check is its multiple. */
const OFF_GRID: Readonly<Record<string, readonly [field: string, multiple: string]>> = {
  priceOffTick: ['price', 'tick'],
  sizeOffStep: ['qty', 'step'],
  takeProfitOffTick: ['takeProfit', 'tick'],
  stopLossOffTick: ['stopLoss', 'tick'],
  triggerPriceOffTick: ['triggerPrice', 'tick'],
};

/** The first command of a request that was refused, or the last of those that were not. */
export async function explainedOf(
  entry: Entry,
  explain: ExplainCommand,
): Promise<CommandExplanation | string> {
  let answer: CommandExplanation | string = 'it made no command';
  for (const seq of entry.commands) {
    answer = await explain(seq, entry.uid);
    if (typeof answer === 'string') return answer;
    if (answer.verdict.startsWith('refused')) return withSentNumbers(answer, entry);
  }
  return answer;
}

/** The same, with the number that was sent and its neighbours on the grid. */
function withSentNumbers(explained: CommandExplanation, entry: Entry): CommandExplanation {
  const checks = explained.checks.map((check) => withSent(check, entry));
  const right = checks.flatMap(({ rightWouldBe }) => rightWouldBe ?? []);
  return { ...explained, checks, rightWouldBe: right.join('; ') };
}

function withSent(check: ExplainedCheck, entry: Entry): ExplainedCheck {
  const [field, multiple] = OFF_GRID[check.reason ?? ''] ?? [];
  if (field === undefined || multiple === undefined) return check;
  const sent = sentValue(entry, field);
  const near = neighbours(sent, check.inputs[multiple] ?? '');
  if (near === undefined) return check;
  return { ...check, inputs: { ...check.inputs, [field]: sent }, rightWouldBe: near };
}

/** A field of the only order of a request; of a batch it is not known which order was refused. */
function sentValue(entry: Entry, field: string): string {
  const frame = itemsOf(fieldsOf(entry.body).args);
  const items = frame.length > 0 ? frame : itemsOf(parsed(entry.body));
  const inner = items.flatMap((item) => [item, ...itemsOf(item.params)]);
  const values = inner.flatMap((item) => (item[field] === undefined ? [] : [textOf(item[field])]));
  return values.length === 1 ? values[0]! : '';
}

const DECIMALS = 18;

function neighbours(text: string, multiple: string): string | undefined {
  const [value, step] = [parseUnits(text, DECIMALS), parseUnits(multiple, DECIMALS)];
  if (value === undefined || step === undefined || value <= 0n || step <= 0n) return undefined;
  const below = (value / step) * step;
  const both = below === 0n ? [step] : [below, below + step];
  return both.map((each) => formatUnits(each, DECIMALS)).join(' or ');
}
