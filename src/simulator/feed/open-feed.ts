/** Opens the feed that the settings name. */
import type { State } from '../../core/state/state.ts';
import type { FeedChoice } from './feed-choice.ts';
import { LayeredFeed, pairNames } from './layered-feed.ts';
import { openLiveFeed } from './live-feed.ts';
import { followedIndices, type PriceFeed } from './price-feed.ts';
import { ReplayFeed } from './replay-feed.ts';
import { readReplay } from './replay-file.ts';
import { SyntheticFeed, type SyntheticOptions } from './synthetic-feed.ts';

export interface FeedOptions extends SyntheticOptions {
  readonly state: State;
  /** Called with messages for the log, such as exchanges that do not respond. */
  readonly report: (text: string) => void;
  /** Called with the share of a file that was read, from 0 to 1. */
  readonly progress: (share: number) => void;
}

export async function openFeed(choice: FeedChoice, options: FeedOptions): Promise<PriceFeed> {
  const synthetic = new SyntheticFeed(options);
  if (choice === 'synthetic') return synthetic;
  const at = choice.indexOf(':');
  const what = choice.slice(at + 1);
  if (choice.startsWith('replay')) {
    return new LayeredFeed(new ReplayFeed(what, await readReplay(what, options.progress)), synthetic);
  }
  const pairs = [...new Set(followedIndices(options.state).flatMap(pairNames))];
  const live = await openLiveFeed({ exchanges: what, pairs, report: options.report });
  return new LayeredFeed(live, synthetic);
}
