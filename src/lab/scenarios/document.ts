/** The document of a scenario: its schema, which editors use too, and everything that can be wrong in one. */
import {
  AccountText,
  AmountText,
  CategoryText,
  CoinName,
  closed,
  DecimalText,
  StatusText,
  SymbolText,
} from '../../admin/fields.ts';
import { CLOCK_CHOICES, readClockChoice } from '../../sequencer/clock-choice.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { MARKET_LEVELS } from '../../simulator/activity-level.ts';
import { type Static, type TSchema, Type } from '../../validation/schema.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { FAULT_ACTION_SCHEMAS, type FaultAction, type FaultCheckContext } from '../faults/fault-action.ts';
import { ruleMistakes } from '../faults/faults.ts';
import { type Mistake, mistake, type Path, schemaMistakes } from '../faults/mistake.ts';
import { Span, When } from '../faults/when.ts';
import { FINDING_NAMES } from '../referee/findings.ts';

export const STEPS_MAX = 1000;
/** Time of the exchange that a scenario may take: a run cannot be stopped, and a month takes minutes. */
const SPAN_MAX = '31d';
/** A shock sends a price each second. */
const SHOCK_SPAN_MAX = '1d';
const ACCOUNT_NAME = '^[a-z][a-z0-9-]{0,31}$';

const World = Type.Object(
  {
    instruments: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1 })),
    market: Type.Optional(Type.Enum([...MARKET_LEVELS])),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
    clock: Type.Optional(Type.String({ pattern: '^(manual|wall|scaled:[1-9][0-9]{0,5})$' })),
    start: Type.Optional(Type.String({ minLength: 10, maxLength: 40 })),
    /** Amounts by coin, by name of the account; the demo accounts unless given. */
    accounts: Type.Optional(
      Type.Record(Type.String({ pattern: ACCOUNT_NAME }), Type.Record(Type.String(), AmountText)),
    ),
    /** By index; only without a market. */
    prices: Type.Optional(Type.Record(Type.String(), AmountText)),
  },
  closed,
);
export type World = Static<typeof World>;

/** At least and at most. */
const Range = Type.Object(
  { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
  { ...closed, minProperties: 1 },
);
export type Range = Static<typeof Range>;

const Market = { category: CategoryText, symbol: SymbolText };
const Body = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())]);
const Code = Type.String({ minLength: 1, maxLength: 10 });

export const Expect = Type.Object(
  {
    account: Type.Optional(AccountText),
    openOrders: Type.Optional(Type.Integer({ minimum: 0 })),
    positions: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Signed: a short position is below zero. */
    position: Type.Optional(Type.Object({ ...Market, size: DecimalText }, closed)),
    balance: Type.Optional(
      Type.Object(
        { coin: CoinName, min: Type.Optional(DecimalText), max: Type.Optional(DecimalText) },
        closed,
      ),
    ),
    marginRatioBelow: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    marginRatioAbove: Type.Optional(Type.Number({ minimum: 0 })),
    /** Names of the referee's findings that the account must not have. */
    noMistakes: Type.Optional(
      Type.Array(Type.Enum([...FINDING_NAMES]), { minItems: 1, maxItems: FINDING_NAMES.length }),
    ),
    /** Positions of crowds that are still open. */
    crowdPositions: Type.Optional(Range),
    /** Events since the beginning, by type. */
    events: Type.Optional(Type.Record(Type.String(), Range)),
    /** Hits of the scenario's own faults, by name. */
    hits: Type.Optional(Type.Record(Type.String(), Range)),
    index: Type.Optional(
      Type.Object(
        {
          name: Type.String({ maxLength: 40 }),
          min: Type.Optional(DecimalText),
          max: Type.Optional(DecimalText),
          stale: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    instrument: Type.Optional(Type.Object({ ...Market, status: StatusText }, closed)),
    halted: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
);
export type Expect = Static<typeof Expect>;

interface ActionRow {
  readonly schema: TSchema;
  readonly right: string;
}

/** What a step does; one of these is in each. */
export const ACTIONS = {
  deposit: {
    schema: Type.Object({ account: AccountText, coin: CoinName, amount: AmountText }, closed),
    right: 'deposit has account, coin and amount',
  },
  order: {
    schema: Type.Object(
      {
        account: AccountText,
        ...Market,
        side: Type.Enum(['buy', 'sell']),
        orderType: Type.Optional(Type.Enum(['limit', 'market'])),
        qty: DecimalText,
        price: Type.Optional(DecimalText),
        timeInForce: Type.Optional(Type.String({ maxLength: 20 })),
        reduceOnly: Type.Optional(Type.Enum(['yes', 'no'])),
        clientOid: Type.Optional(Type.String({ maxLength: 32 })),
        code: Type.Optional(Code),
      },
      closed,
    ),
    right:
      'order has account, category, symbol, side, qty, and price unless orderType is market; code is the answer to expect',
  },
  call: {
    schema: Type.Object(
      {
        account: Type.Optional(AccountText),
        method: Type.Optional(Type.Enum(['GET', 'POST'])),
        path: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^ ]+$' }),
        body: Type.Optional(Body),
        code: Type.Optional(Code),
      },
      closed,
    ),
    right:
      'call has a path such as trade/cancel-order, and account, method, body and code where they are needed',
  },
  leverage: {
    schema: Type.Object(
      { account: AccountText, ...Market, leverage: Type.Integer({ minimum: 1, maximum: 200 }) },
      closed,
    ),
    right: 'leverage has account, category, symbol and leverage',
  },
  crowd: {
    schema: Type.Object(
      {
        accounts: Type.Integer({ minimum: 1, maximum: 1000 }),
        side: Type.Enum(['long', 'short']),
        leverage: Type.Union([
          Type.Integer({ minimum: 1, maximum: 200 }),
          Type.String({ pattern: '^[0-9]{1,3}\\.\\.[0-9]{1,3}$' }),
        ]),
        category: Type.Optional(CategoryText),
        symbol: SymbolText,
        /** The value of each position, in the quote coin. */
        worth: Type.Optional(DecimalText),
      },
      closed,
    ),
    right:
      'crowd has accounts (1 to 1000), side (long or short), leverage (20 or 20..50), symbol, and worth of each position',
  },
  price: {
    schema: Type.Object({ index: Type.String({ maxLength: 40 }), price: AmountText }, closed),
    right: 'price has index and price',
  },
  shock: {
    schema: Type.Object(
      {
        coin: CoinName,
        percent: Type.Number({ exclusiveMinimum: -100, maximum: 1000 }),
        over: Type.Optional(Span),
      },
      closed,
    ),
    right: 'shock has coin, percent and a span such as over: 30s',
  },
  fault: {
    schema: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
        when: Type.Optional(Type.Unknown()),
        do: Type.Optional(Type.Unknown()),
        for: Type.Optional(Span),
      },
      closed,
    ),
    right: 'fault has do, and when, for and name where they are wanted',
  },
  removeFault: {
    schema: Type.Object({ name: Type.String({ minLength: 1, maxLength: 40 }) }, closed),
    right: 'removeFault has the name of a fault of this scenario',
  },
  funding: { schema: Type.Object(Market, closed), right: 'funding has category and symbol' },
  liquidate: { schema: Type.Object({ account: AccountText }, closed), right: 'liquidate has an account' },
  halt: { schema: Type.Literal(true), right: 'halt is true' },
  resume: { schema: Type.Literal(true), right: 'resume is true' },
  status: {
    schema: Type.Object({ ...Market, status: StatusText }, closed),
    right: 'status has category, symbol and status',
  },
  operator: {
    schema: Type.Object(
      {
        method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'])),
        path: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^ ]+$' }),
        body: Type.Optional(Body),
      },
      closed,
    ),
    right: "operator has a path of the operator's interface, such as coins/limits, with body",
  },
  snapshot: {
    schema: Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
    right: 'snapshot has a name',
  },
  revert: {
    schema: Type.Object({ to: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
    right: 'revert has to, a snapshot',
  },
  expect: { schema: Expect, right: `expect has some of ${Object.keys(Expect.properties).join(', ')}` },
} as const satisfies Readonly<Record<string, ActionRow>>;
export type ActionName = keyof typeof ACTIONS;

/** An action with its name as the only key beside `at`. */
export type Step = { readonly at?: string } & Readonly<Record<string, unknown>>;

export interface Scenario {
  readonly scenario: string;
  readonly description?: string;
  readonly world?: World;
  readonly given?: readonly Step[];
  readonly steps: readonly Step[];
}

const WHOLE = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    scenario: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    world: Type.Optional(World),
    given: Type.Optional(Type.Array(Type.Unknown(), { maxItems: STEPS_MAX })),
    steps: Type.Array(Type.Unknown(), { minItems: 1, maxItems: STEPS_MAX }),
  },
  closed,
);

const whole = new SchemaCheck(WHOLE, { allErrors: true });
const checks = new Map(
  Object.entries(ACTIONS).map(([name, { schema }]) => [
    name,
    new SchemaCheck(schema as TSchema, { allErrors: true }),
  ]),
);

export function actionOf(step: Step): ActionName | undefined {
  const named = Object.keys(step).filter((key) => Object.hasOwn(ACTIONS, key));
  return named.length === 1 ? (named[0] as ActionName) : undefined;
}

/** Everything that is wrong, each with its place; empty when it is a scenario. */
export function scenarioMistakes(value: unknown, checkContext: FaultCheckContext): Mistake[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [mistake([], 'a scenario is an object with scenario, world, given and steps')];
  const found = schemaMistakes(whole, value, []);
  const { given, steps, world } = value as Partial<Scenario>;
  return [
    ...found,
    ...worldMistakes(world),
    ...stepsMistakes(given, ['given'], checkContext),
    ...stepsMistakes(steps, ['steps'], checkContext),
  ];
}

function worldMistakes(world: World | undefined): Mistake[] {
  const mistakes: Mistake[] = [];
  if (typeof world?.start === 'string' && Number.isNaN(Date.parse(world.start)))
    mistakes.push(mistake(['world', 'start'], 'must be an instant such as 2026-06-25T07:00:00Z'));
  if (typeof world?.clock === 'string' && readClockChoice(world.clock) === undefined)
    mistakes.push(mistake(['world', 'clock'], `must be ${CLOCK_CHOICES}`));
  if (world?.prices !== undefined && (world.market ?? 'off') !== 'off')
    mistakes.push(mistake(['world', 'prices'], 'a market has its own prices: leave out one or the other'));
  return mistakes;
}

function stepsMistakes(steps: unknown, path: Path, checkContext: FaultCheckContext): Mistake[] {
  if (!Array.isArray(steps)) return [];
  let last = 0;
  return steps.flatMap((step, n) => {
    const found = stepMistakes(step, [...path, n], checkContext);
    const at = parseDuration((step as Step | null)?.at ?? '');
    if (at === undefined) return found;
    if (at > parseDuration(SPAN_MAX)!)
      found.push(mistake([...path, n, 'at'], `a scenario takes at most ${SPAN_MAX}`));
    else if (path[0] === 'given') found.push(mistake([...path, n, 'at'], 'what is given has no time'));
    else if (at < last)
      found.push(mistake([...path, n, 'at'], 'comes before the step above it: put them in order of time'));
    last = Math.max(last, at);
    return found;
  });
}

function stepMistakes(step: unknown, path: Path, checkContext: FaultCheckContext): Mistake[] {
  const names = Object.keys(ACTIONS).join(', ');
  if (typeof step !== 'object' || step === null || Array.isArray(step))
    return [mistake(path, `a step is an object with one of ${names}`)];
  const { at, ...rest } = step as Step;
  const ofTime =
    at === undefined || (typeof at === 'string' && parseDuration(at) !== undefined)
      ? []
      : [mistake([...path, 'at'], `${JSON.stringify(at)} must be a span such as 90s or 10m`)];
  const name = actionOf(step as Step);
  if (name === undefined) return [...ofTime, mistake(path, `a step has one of ${names}, and only one`)];
  const unknown = Object.keys(rest)
    .filter((key) => key !== name)
    .map((key) => mistake([...path, key], `is not a known field; a step has at and one of ${names}`));
  const { right } = ACTIONS[name];
  const value = rest[name];
  const found = schemaMistakes(checks.get(name)!, value, [...path, name]).map((each) =>
    mistake(each.path, `${each.message}; ${right}`),
  );
  const deeper = found.length > 0 ? [] : valueMistakes(name, value, [...path, name], checkContext);
  return [...ofTime, ...unknown, ...found, ...deeper];
}

function valueMistakes(
  name: ActionName,
  value: unknown,
  path: Path,
  checkContext: FaultCheckContext,
): Mistake[] {
  if (name === 'fault') {
    const { when, do: action, for: span } = value as { when?: When; do?: FaultAction; for?: string };
    const rule = ruleMistakes({ when, do: action }, path, checkContext);
    if (span === undefined) return rule;
    if (parseDuration(span) === undefined)
      return [...rule, mistake([...path, 'for'], 'must be a span such as 20s')];
    return when?.until === undefined
      ? rule
      : [...rule, mistake([...path, 'for'], 'give for or until, not both')];
  }
  const { over, leverage } = value as { over?: string; leverage?: string };
  if (name === 'shock' && over !== undefined && parseDuration(over) === undefined)
    return [mistake([...path, 'over'], 'must be a span such as 30s')];
  if (name === 'shock' && over !== undefined && parseDuration(over)! > parseDuration(SHOCK_SPAN_MAX)!)
    return [mistake([...path, 'over'], `a shock takes at most ${SHOCK_SPAN_MAX}`)];
  if (name === 'crowd' && typeof leverage === 'string') {
    const [low, high] = leverage.split('..').map(Number);
    if (low! < 1 || high! < low!)
      return [mistake([...path, 'leverage'], 'goes from the lower to the higher, such as 20..50')];
  }
  return [];
}

/** For editors. */
export function scenarioSchema(): object {
  const fault = {
    ...ACTIONS.fault.schema,
    properties: { ...ACTIONS.fault.schema.properties, when: When, do: { anyOf: FAULT_ACTION_SCHEMAS } },
    required: ['do'],
  };
  const steps = Object.entries(ACTIONS).map(([name, { schema, right }]) =>
    Type.Object(
      {
        at: Type.Optional(Span),
        [name]: { ...(name === 'fault' ? fault : schema), description: right },
      },
      closed,
    ),
  );
  const list = { type: 'array', items: { $ref: '#/$defs/step' }, maxItems: STEPS_MAX };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of the laboratory',
    ...WHOLE,
    properties: { ...WHOLE.properties, given: list, steps: { ...list, minItems: 1 } },
    $defs: { step: { anyOf: steps } },
  };
}
