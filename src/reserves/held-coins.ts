/** Amounts of coins: what an account holds, or the accounts below a node of the tree together. */
import { formatMoney, MONEY_SCALE, parseUnits } from '../core/model/units.ts';

/** Coins in the order of their names, each with an amount above zero. Most accounts hold few of many coins. */
export interface HeldCoins {
  readonly names: readonly string[];
  readonly units: readonly bigint[];
}

/** Coins and amounts as decimal text. */
export type Holdings = Readonly<Record<string, string>>;

export const NOTHING: HeldCoins = { names: [], units: [] };
/** A name with a separator of the canonical text could hide a coin in another one's name. */
const COIN_NAME = /^[^=,|]+$/;

/** Of coins in any order: amounts of one coin are added, and sums that are not above zero left out. */
export function heldCoins(amounts: readonly (readonly [name: string, units: bigint])[]): HeldCoins {
  const names: string[] = [];
  const units: bigint[] = [];
  const ordered = amounts.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  for (let first = 0, end = 0; first < ordered.length; first = end) {
    const [name] = ordered[first]!;
    let sum = 0n;
    for (end = first; end < ordered.length && ordered[end]![0] === name; end++) sum += ordered[end]![1];
    if (sum <= 0n) continue;
    names.push(name);
    units.push(sum);
  }
  return { names, units };
}

export function sumOf(a: HeldCoins, b: HeldCoins): HeldCoins {
  const names: string[] = [];
  const units: bigint[] = [];
  let [atA, atB] = [0, 0];
  while (atA < a.names.length || atB < b.names.length) {
    const [ofA, ofB] = [a.names[atA], b.names[atB]];
    const takesA = ofB === undefined || (ofA !== undefined && ofA <= ofB);
    const takesB = ofA === undefined || (ofB !== undefined && ofB <= ofA);
    names.push(takesA ? ofA! : ofB);
    units.push((takesA ? a.units[atA++]! : 0n) + (takesB ? b.units[atB++]! : 0n));
  }
  return { names, units };
}

export function unitsOf({ names, units }: HeldCoins, name: string): bigint {
  return units[names.indexOf(name)] ?? 0n;
}

/** `BTC=1.5,USDT=20` */
export function canonicalText({ names, units }: HeldCoins): string {
  let text = '';
  for (const [at, name] of names.entries())
    text += `${at === 0 ? '' : ','}${name}=${formatMoney(units[at]!)}`;
  return text;
}

export function holdingsOf(canonical: string): Holdings {
  if (canonical === '') return {};
  return Object.fromEntries(canonical.split(',').map((coin) => coin.split('=')));
}

/** Undefined for what no tree has: another coin name, another text of the amount, or an amount that is not above zero. */
export function readHoldings(holdings: Holdings): HeldCoins | undefined {
  const amounts: [string, bigint][] = [];
  for (const [name, text] of Object.entries(holdings)) {
    const units = parseUnits(text, MONEY_SCALE);
    if (!COIN_NAME.test(name) || units === undefined || units <= 0n || formatMoney(units) !== text)
      return undefined;
    amounts.push([name, units]);
  }
  return heldCoins(amounts);
}
