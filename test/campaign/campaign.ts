/**
 * A campaign is a long search for one kind of failure, in independent trials that a seed repeats. A short form
 * is in `npm run test:faults`; `npm run campaign -- NAME --minutes N` goes on as long as asked, shows progress and ends with
 * figures.
 */
export interface Campaign {
  /** One line for the list of campaigns. */
  readonly summary: string;
  /** Trials when neither `--trials` nor `--minutes` is given. */
  readonly trials: number;
  /** Prepares what all trials share. */
  open(seed: number): Promise<CampaignRun> | CampaignRun;
}

export interface CampaignRun extends AsyncDisposable {
  /** How many different trials there are, when their number is finite: the campaign ends after the last. */
  readonly trialsMax?: number;
  /** One trial. The result is counted under its name; a failed trial says what was expected and what was seen. */
  trial(number: number): Promise<TrialResult>;
}

export interface TrialResult {
  /** What came of it, such as `sound`, `refused` or `lost an acknowledged order`. */
  readonly name: string;
  /** Present when the trial broke a promise; enough to repeat and to understand it. */
  readonly failure?: string;
  /** Counts that are added up over all trials, such as orders acknowledged. */
  readonly counts?: Readonly<Record<string, number>>;
}

export interface Bounds {
  readonly seed: number;
  readonly trials: number;
  /** The number of the first trial; a single one is repeated with it. */
  readonly first?: number | undefined;
  /** Undefined when only the number of trials bounds the run. */
  readonly minutes?: number | undefined;
}

export interface Figures {
  readonly trials: number;
  readonly seconds: number;
  readonly results: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

/** Runs trials until the bound is reached; `progress` hears of each. */
export async function runCampaign(
  campaign: Campaign,
  bounds: Bounds,
  progress: (figures: Figures) => void = () => {},
): Promise<Figures> {
  const begun = performance.now();
  const results = new Map<string, number>();
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const figures = (trials: number): Figures => ({
    trials,
    seconds: (performance.now() - begun) / 1000,
    results,
    counts,
    failures,
  });
  await using run = await campaign.open(bounds.seed);
  const endMs = bounds.minutes === undefined ? Number.POSITIVE_INFINITY : bounds.minutes * 60_000;
  const first = bounds.first ?? 0;
  const trialsMax = Math.min(bounds.trials, (run.trialsMax ?? Number.POSITIVE_INFINITY) - first);
  let trials = 0;
  while (trials < trialsMax && performance.now() - begun < endMs) {
    const number = first + trials;
    const result = await run.trial(number);
    trials++;
    results.set(result.name, (results.get(result.name) ?? 0) + 1);
    for (const [name, count] of Object.entries(result.counts ?? {})) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
    if (result.failure !== undefined) {
      failures.push(`seed ${bounds.seed}, trial ${number}: ${result.failure}`);
    }
    progress(figures(trials));
  }
  return figures(trials);
}
