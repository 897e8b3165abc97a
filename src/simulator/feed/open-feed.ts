/** Opens the feed that the settings name. */
import type { State } from '../../core/state/state.ts';
import type { Recording } from '../recording/recording.ts';
import type { FeedChoice } from './feed-choice.ts';
import { LayeredFeed, pairNames } from './layered-feed.ts';
import { openLiveFeed } from './live-feed.ts';
import { followedIndices, type PriceFeed } from './price-feed.ts';
import { ReplayFeed } from './replay-feed.ts';
import { SyntheticFeed, type SyntheticOptions } from './synthetic-feed.ts';

export interface FeedOptions extends SyntheticOptions {
  readonly state: State;
  /** Called with messages for the log, such as exchanges that do not respond. */
  readonly report: (text: string) => void;
}

/** What the settings say about a recording. */
export interface RecordingChoice {
  /** `FORMAT` or `FORMAT:PAIR`; empty to find it by the first line of the file. */
  readonly as: string;
  readonly skipBad: number;
}

/** The file of `replay:FILE`; undefined for another feed. */
export function recordingOf(choice: FeedChoice): string | undefined {
  return choice.startsWith('replay:') ? choice.slice('replay:'.length) : undefined;
}

/** `recording` is that of the choice, when it has one. */
export async function openFeed(
  choice: FeedChoice,
  recording: Recording | undefined,
  options: FeedOptions,
): Promise<PriceFeed> {
  const synthetic = new SyntheticFeed(options);
  if (choice === 'synthetic') return synthetic;
  const what = choice.slice(choice.indexOf(':') + 1);
  if (recording !== undefined) return new LayeredFeed(new ReplayFeed(what, recording), synthetic);
  const pairs = [...new Set(followedIndices(options.state).flatMap(pairNames))];
  const live = await openLiveFeed({ exchanges: what, pairs, report: options.report });
  return new LayeredFeed(live, synthetic);
}
