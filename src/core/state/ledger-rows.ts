/**
 * Which row of the ledger belongs to an account and a coin: a hash table in columns with open addressing. A table for each
 * account would cost it as much memory as everything else, and as many cells as there are coins.
 */

const FIRST_SLOTS = 1 << 11;
/** Odd, with bits everywhere: neighbours of either key are spread over the table. */
const SPREAD_ACCOUNT = 0x9e3779b1;
const SPREAD_COIN = 0x85ebca6b;

export class LedgerRows {
  /** Whose row it is, and in which coin. */
  private accounts = new Int32Array(FIRST_SLOTS / 2);
  private coins = new Int32Array(FIRST_SLOTS / 2);
  /** Row and one at the hash of its account and coin, or behind it; 0 = free. */
  private slots = new Int32Array(FIRST_SLOTS);
  private rows = 0;

  accountOf(row: number): number {
    return this.accounts[row]!;
  }

  coinOf(row: number): number {
    return this.coins[row]!;
  }

  /** -1 when there is none. */
  find(account: number, coin: number): number {
    const mask = this.slots.length - 1;
    for (let at = hash(account, coin) & mask; ; at = (at + 1) & mask) {
      const row = this.slots[at]! - 1;
      if (row < 0 || (this.accounts[row] === account && this.coins[row] === coin)) return row;
    }
  }

  /** A new row; the account must not have one in this coin. */
  open(account: number, coin: number): number {
    const row = this.rows++;
    if (row === this.accounts.length) this.grow();
    this.accounts[row] = account;
    this.coins[row] = coin;
    this.insert(row);
    return row;
  }

  private insert(row: number): void {
    const mask = this.slots.length - 1;
    let at = hash(this.accounts[row]!, this.coins[row]!) & mask;
    while (this.slots[at] !== 0) at = (at + 1) & mask;
    this.slots[at] = row + 1;
  }

  /** At most half of the slots are taken. */
  private grow(): void {
    const { accounts, coins, slots } = this;
    this.accounts = new Int32Array(2 * accounts.length);
    this.accounts.set(accounts);
    this.coins = new Int32Array(2 * coins.length);
    this.coins.set(coins);
    this.slots = new Int32Array(2 * slots.length);
    for (let row = 0; row < accounts.length; row++) this.insert(row);
  }
}

function hash(account: number, coin: number): number {
  const mixed = Math.imul(account, SPREAD_ACCOUNT) ^ Math.imul(coin + 1, SPREAD_COIN);
  return mixed ^ (mixed >>> 15);
}
