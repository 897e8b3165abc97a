/** Mistakes that a log over a database invites, put in from outside, to see whether the simulation finds them. */
import type { EngineNotice, OfferedPack, PackEngine, PlacedPack } from '../../src/cluster/engine.ts';
import type { PlantedBug } from './simulation.ts';

export interface FoundAs {
  readonly bug: PlantedBug;
  /** How the checker must put it: a bug found for a wrong reason is not found. */
  readonly foundAs: RegExp;
}

export const PLANTED_BUGS: Readonly<Record<string, FoundAs>> = {
  'apply before confirmed': {
    bug: { engine: confirmsAllVisible },
    foundAs: /the database has lost|LOST|HASH|does not follow/,
  },
  'no deadline': {
    bug: { engine: (engine) => changed(engine, (pack) => ({ ...pack, deadline: Number.MAX_SAFE_INTEGER })) },
    foundAs: /LATE|EXECUTED/,
  },
  'retry with a new number': { bug: { engine: numbersEachTry }, foundAs: /DOUBLED/ },
  'rows in the answer': { bug: { faults: { largeAnswers: true } }, foundAs: /WAITED/ },
  'acknowledged at the rows': {
    bug: { faults: { answersAtRows: true } },
    foundAs: /the database has lost|LOST|HASH/,
  },
  'no fence of duties': {
    bug: { engine: (engine) => changed(engine, (pack) => ({ ...pack, duty: undefined })) },
    foundAs: /FENCE/,
  },
  'time from the node': { bug: { engine: takesOwnTime }, foundAs: /HASH|another state|TOLD/ },
};

function over(engine: PackEngine, changes: Partial<PackEngine>): PackEngine {
  return {
    append: (pack) => engine.append(pack),
    read: (after, most) => engine.read(after, most),
    confirm: (no) => engine.confirm(no),
    onNotice: (listener) => engine.onNotice(listener),
    reconnect: () => engine.reconnect(),
    close: () => engine.close(),
    ...changes,
  };
}

const changed = (engine: PackEngine, change: (pack: OfferedPack) => OfferedPack): PackEngine =>
  over(engine, { append: (pack) => engine.append(change(pack)) });

function confirmsAllVisible(engine: PackEngine): PackEngine {
  return over(engine, {
    read: async (after, most) =>
      (await engine.read(after, most)).map((pack) => ({ ...pack, confirmed: pack.no })),
    onNotice: (listener) =>
      engine.onNotice(({ visible = 0, confirmed = 0 }: EngineNotice) =>
        listener({ confirmed: Math.max(visible, confirmed) }),
      ),
  });
}

function numbersEachTry(engine: PackEngine): PackEngine {
  let tries = 0;
  return over(engine, {
    append: (pack) => engine.append({ ...pack, runPack: pack.runPack * 1_000 + (tries++ % 1_000) }),
    read: async (after, most) =>
      (await engine.read(after, most)).map((pack) => ({
        ...pack,
        runPack: Math.floor(pack.runPack / 1_000),
      })),
  });
}

function takesOwnTime(engine: PackEngine): PackEngine {
  return over(engine, {
    append: async (pack): Promise<PlacedPack> => ({ ...(await engine.append(pack)), at: pack.stamp }),
  });
}
