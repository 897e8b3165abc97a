/** The feed that the settings name. */
import type { FeedChoice } from './feed-choice.ts';
import type { PriceFeed } from './price-feed.ts';
import { SyntheticFeed, type SyntheticOptions } from './synthetic-feed.ts';

export interface FeedOptions extends SyntheticOptions {
  /** Hears what people should know: progress of loading, venues that do not answer. */
  readonly told: (text: string) => void;
}

export async function openFeed(choice: FeedChoice, options: FeedOptions): Promise<PriceFeed> {
  const synthetic = new SyntheticFeed(options);
  if (choice === 'synthetic') return synthetic;
  return synthetic;
}
