/** Scenarios on the operator's listener: `/lab/scenarios`. */
import { AdminError } from '../../admin/admin-error.ts';
import { closed } from '../../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { Type } from '../../validation/schema.ts';
import type { FaultCheckContext } from '../faults/fault-action.ts';
import { type Scenario, scenarioSchema } from './document.ts';
import { type ScenarioReport, ScenarioRunner } from './runner.ts';
import type { ScenarioTarget } from './scenario-target.ts';

/** As JSON, in which a file of a MiB may be larger. */
const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;

const Document = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()]);
const Report = Type.Object({
  scenario: Type.String(),
  dryRun: Type.Boolean(),
  ok: Type.Boolean(),
  failed: Type.Integer(),
  from: Type.Integer(),
  to: Type.Integer(),
  commands: Type.Integer(),
  events: Type.Record(Type.String(), Type.Integer()),
  stateHash: Type.String(),
  balanced: Type.Boolean(),
  steps: Type.Array(
    Type.Object({
      step: Type.String(),
      at: Type.String(),
      action: Type.String(),
      ok: Type.Boolean(),
      message: Type.String(),
    }),
  ),
});

export interface ScenarioOptions {
  readonly target: ScenarioTarget;
  readonly seed: number;
  readonly checkContext: FaultCheckContext;
  /** The exchange may be replaced meanwhile, although this request is being answered. */
  readonly during: <Done>(work: () => Promise<Done>) => Promise<Done>;
  /** Where relative names of files begin. */
  readonly directory: string;
}

export function scenarioRoutes({
  target,
  seed,
  checkContext,
  during,
  directory,
}: ScenarioOptions): readonly OperatorRoute[] {
  let running: string | undefined;
  /** What reads documents is loaded with the first of them. */
  const read = async (document: unknown, file: string | undefined): Promise<Scenario | AdminError> => {
    const reader = await import('./read-scenario.ts');
    try {
      if (file !== undefined) return reader.readFile(file, directory, checkContext);
      if (typeof document !== 'string') return reader.checkedScenario(document, checkContext);
      const bytes = Buffer.byteLength(document);
      if (bytes > reader.FILE_BYTES_MAX)
        return new AdminError(
          'invalid_request',
          `document has ${bytes} bytes, at most ${reader.FILE_BYTES_MAX} are read`,
        );
      return reader.readScenario(document, 'document', checkContext);
    } catch (error) {
      if (!(error instanceof reader.ScenarioWrong)) throw error;
      return new AdminError('invalid_request', error.message);
    }
  };

  return [
    operatorRoute({
      method: 'POST',
      path: '/lab/scenarios',
      body: Type.Object(
        {
          document: Type.Optional(Document),
          file: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
          dryRun: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      answer: Report,
      bodyBytesMax: DOCUMENT_BYTES_MAX,
      action: 'lab.scenario',
      auditArguments: ({ body: { file, dryRun = false } }) => ({
        dryRun,
        ...(file !== undefined && { file }),
      }),
      auditDetail: ({ scenario, ok }) => `${scenario}: ${ok ? 'as expected' : 'not as expected'}`,
      handle: async ({ body: { document, file, dryRun = false } }) => {
        if ((document === undefined) === (file === undefined))
          return new AdminError(
            'invalid_request',
            'give either document, a scenario, or file, the name of one',
          );
        const scenario = await read(document, file);
        if (scenario instanceof AdminError) return scenario;
        const other = worldRefusal(scenario, target);
        if (other !== undefined) return other;
        if (dryRun) return { ...notRun(scenario), dryRun };
        if (running !== undefined)
          return new AdminError(
            'busy',
            `the scenario ${running} is under way: another can wait until it is done`,
          );
        running = scenario.scenario;
        try {
          const runner = new ScenarioRunner(target, scenario.world?.seed ?? seed);
          const report = await during(() => runner.run(scenario));
          return { ...report, dryRun, events: { ...report.events }, steps: [...report.steps] };
        } finally {
          running = undefined;
        }
      },
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/scenarios/schema',
      answer: Type.Record(Type.String(), Type.Unknown()),
      handle: () => ({ ...scenarioSchema() }) as Record<string, unknown>,
    }),
  ];
}

function notRun({ scenario }: Scenario): Omit<ScenarioReport, 'steps'> & { steps: [] } {
  const nothing = {
    ok: true,
    failed: 0,
    from: 0,
    to: 0,
    commands: 0,
    events: {},
    stateHash: '',
    balanced: true,
  };
  return { scenario, ...nothing, steps: [] };
}

/** A scenario runs only in the world that it is written for. */
function worldRefusal(
  { world = {} }: Scenario,
  { sequencer, options }: ScenarioTarget,
): AdminError | undefined {
  const { state } = sequencer;
  const known = new Set(
    state.instruments.flatMap(({ spec: { category, symbol } }) => [symbol, `${category}:${symbol}`]),
  );
  const missing = (world.instruments ?? []).filter((name) => !known.has(name));
  const level = options.market()?.options.level ?? 'off';
  const names = new Set(options.keys().map(({ name }) => name));
  const strangers = Object.keys(world.accounts ?? {}).filter((name) => !names.has(name));
  const problems = [
    ...(missing.length > 0 ? [`there is no ${missing.join(', ')}`] : []),
    ...(world.market !== undefined && world.market !== level
      ? [`the market is ${level}, not ${world.market}`]
      : []),
    ...(strangers.length > 0 ? [`there is no account ${strangers.join(', ')}`] : []),
  ];
  if (problems.length === 0) return undefined;
  return new AdminError(
    'not_allowed',
    `this exchange is not the world of the scenario: ${problems.join('; ')}. bourse lab run starts one that is`,
  );
}
