/** The price feed as the setting names it: `synthetic`, `replay:FILE`, `live:ID,ID@URL`. */
export type FeedChoice = 'synthetic' | `replay:${string}` | `live:${string}`;

export const FEED_CHOICES =
  'synthetic, replay:FILE with recorded prices, or live:IDS with venues that ccxt knows, such as live:kraken,coinbase';

export function readFeedChoice(text: string): FeedChoice | undefined {
  if (text === 'synthetic') return text;
  return /^replay:.|^live:[a-z0-9]+(@https?:\/\/[^,]+)?(,[a-z0-9]+(@https?:\/\/[^,]+)?)*$/.test(text)
    ? (text as FeedChoice)
    : undefined;
}
