/** The laboratory of a running exchange: its parts and their routes, or the reason why there is none. */

import { AdminError } from '../../admin/admin-error.ts';
import type { OperatorRoute } from '../../admin/route.ts';
import { CATALOGUE } from '../../api/wire/error-catalogue.ts';
import type { ExplainCommand } from '../../api/ws/inspect/explained.ts';
import { Branches } from '../../lab/branches.ts';
import { capsuleRoutes } from '../../lab/capsule/routes.ts';
import { DiskStore } from '../../lab/disk-store.ts';
import { Explain } from '../../lab/explain/explain.ts';
import { explainRoutes } from '../../lab/explain/routes.ts';
import { ExchangeFaults } from '../../lab/faults/exchange-faults.ts';
import { Faults } from '../../lab/faults/faults.ts';
import { HouseAccount } from '../../lab/faults/house-account.ts';
import { faultRoutes } from '../../lab/faults/routes.ts';
import { Laboratory } from '../../lab/laboratory.ts';
import { MemoryStore } from '../../lab/memory-store.ts';
import { faultHits } from '../../lab/referee/fault-hits.ts';
import { refereeRoutes } from '../../lab/referee/routes.ts';
import { closedLab, LAB_OFF, labRoutes } from '../../lab/routes.ts';
import { scenarioRoutes } from '../../lab/scenarios/routes.ts';
import type { BranchStart } from '../../lab/snapshot.ts';
import { JournalLog } from '../../sequencer/command-log.ts';
import type { Config } from '../config/settings.ts';
import { historyAddress, LAB_NEEDS_FILE } from '../data/history-place.ts';
import { conductRules } from './conduct-rules.ts';
import type { Fronts } from './fronts.ts';
import type { LabDependencies } from './lab-dependencies.ts';
import { LabHost } from './lab-host.ts';
import type { ProcessContext } from './servers.ts';
import type { RunningExchange } from './start-exchange.ts';
import type { Venue } from './venue.ts';

const MIB = 1024 * 1024;
const SPACE_IN_MEMORY_MIB = 1024;
const SPACE_ON_DISK_MIB = 10_240;

export interface OpenLab {
  /** On the operator's listener. */
  readonly routes: readonly OperatorRoute[];
  /** Undefined where there is no laboratory. */
  readonly faults: Faults | undefined;
  /** For the inspector; absent while it is off. */
  readonly explain?: ExplainCommand;
  /** Tells it what stays, before the first request. */
  attach(context: ProcessContext, fronts: Fronts, replace: (venue: Venue) => void): void;
  /** What an exchange in memory goes on with from a snapshot. */
  begin(name: string): Promise<BranchStart>;
  /** A fork that runs in this process. */
  fork(id: string): RunningExchange | undefined;
  /** Ends all forks. */
  close(): Promise<void>;
}

/** Snapshots are copies of files. */
function unableInDatabase({ resolved, directory }: LabDependencies): AdminError | undefined {
  const address = historyAddress(resolved.config.history, directory);
  return address && new AdminError('unknown_path', LAB_NEEDS_FILE);
}

export function openLaboratory(dependencies: LabDependencies): OpenLab {
  const { resolved, branch, logger } = dependencies;
  const { config } = resolved;
  const closed = config.lab === 'off' ? LAB_OFF : unableInDatabase(dependencies);
  if (closed !== undefined)
    return {
      routes: closedLab(closed),
      faults: undefined,
      attach: () => {},
      begin: () => Promise.reject(new Error(closed.message)),
      fork: () => undefined,
      close: async () => {},
    };
  if (!config.demo)
    logger.warn(
      'the laboratory is on (--lab on): whoever has the token of the operator can turn this exchange back to an earlier state',
    );
  const { current } = dependencies;
  const codes = new Set(Object.keys(CATALOGUE));
  const faults = new Faults({
    codes,
    seed: config.seed,
    identity: () => current().identity,
    now: () => current().sequencer.clock.now(),
    wallMs: () => dependencies.shared.wallClock.now(),
    sockets: () => current().streams.clientSockets(),
    state: () => current().sequencer.state,
    house: new HouseAccount(() => current().sequencer),
    exchange: new ExchangeFaults({
      sequencer: () => current().sequencer,
      market: () => current().simulator,
      slowDisk: (ms) => {
        const { log } = current().components;
        if (log instanceof JournalLog) log.delayMs = ms;
      },
      outage: (seconds, how) => lab.beginOutage(seconds, how, dependencies.failed)?.message,
    }),
  });
  const host = new LabHost(dependencies, faults);
  const disk = config.memory ? undefined : new DiskStore(config.data);
  const lab = new Laboratory<Venue>({
    host,
    store: disk ?? new MemoryStore(),
    branches: new Branches(disk?.lineage() ?? [], branch),
    limits: { snapshots: config.labSnapshots, bytes: spaceOf(config), forks: config.labForks },
    faults,
    enter: (all, { branch: next }, { gapMs, clock: choice }) =>
      disk?.enter(all, {
        branch: next,
        gapMs,
        ...(choice !== undefined && choice !== config.clock && { clock: { choice, setting: config.clock } }),
      }),
    notKept: (error) =>
      dependencies.logger.error({ err: error }, 'the end of the branch that was left is not kept'),
  });
  const explain = new Explain(() => host.venue.components);
  const faultCheckContext = { codes, state: () => current().sequencer.state };
  const scenarios = {
    target: host.scenarioTarget,
    seed: config.seed,
    checkContext: faultCheckContext,
    during: <Done>(work: () => Promise<Done>) => host.during(work),
    directory: process.cwd(),
  };
  return {
    routes: [
      ...labRoutes(lab),
      ...faultRoutes(faults),
      ...scenarioRoutes(scenarios),
      ...explainRoutes(explain),
      ...capsuleRoutes(lab, { faults: () => faults.image() }),
      ...refereeRoutes(
        lab,
        conductRules(() => host.venue.identity),
        (uid) => faultHits(faults.hits(uid), host.recorder),
      ),
    ],
    faults,
    explain: async (seq, uid) => {
      const answer = await explain.answer({ command: String(seq) }, { own: [uid], others: false });
      if (answer instanceof AdminError) return answer.message;
      const { what, verdict, checks, rightWouldBe, docs } = answer;
      return { what, verdict, checks, rightWouldBe, docs };
    },
    attach: (context, fronts, replace) => {
      const followed = (venue: Venue) => {
        replace(venue);
        venue.ticker.onTick((now) => faults.tick(now));
      };
      host.attach({ context, fronts, replace: followed });
      current().ticker.onTick((now) => faults.tick(now));
      faults.restore(dependencies.faults);
    },
    begin: async (name) => {
      const start = await lab.begin(name);
      if (start instanceof AdminError) throw new Error(start.message);
      return start;
    },
    fork: (id) => {
      const facts = lab.forks().find((each) => each.id === id);
      return facts === undefined ? undefined : host.runningAt(facts.url);
    },
    close: async () => {
      faults.abortDelayed();
      await explain.close();
      await lab.close();
    },
  };
}

function spaceOf({ labSpace, memory }: Config): number {
  const unlessGiven = memory ? SPACE_IN_MEMORY_MIB : SPACE_ON_DISK_MIB;
  return (labSpace === 0 ? unlessGiven : labSpace) * MIB;
}
