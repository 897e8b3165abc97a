/**
 * Address books of withdrawals (wire 4.3). A book belongs to a main account and also serves its sub-accounts, because
 * money can move between them freely. While the book is locked, withdrawals to any other address are rejected.
 */
import {
  ADDRESSES_PER_BOOK_MAX,
  type AddressPage,
  type AddressType,
  type BookedAddress,
  type ChangeableAddressBook,
  type Destination,
  type IdentityResult,
} from './identity.ts';
import type { Row } from './identity-rows.ts';
import { fault } from './key-validation.ts';
import type { Statements } from './statements.ts';

export class SqliteAddressBook implements ChangeableAddressBook {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  add(mainUid: number, to: Destination, label: string, nowMs: number): IdentityResult<BookedAddress> {
    const { held } = this.#statements.one(
      'SELECT count(*) AS held FROM withdraw_addresses WHERE uid = ?',
      mainUid,
    )!;
    if (Number(held) >= ADDRESSES_PER_BOOK_MAX) {
      return fault('too_many_addresses', `an address book holds at most ${ADDRESSES_PER_BOOK_MAX} addresses`);
    }
    if (this.#find(mainUid, to) !== undefined) {
      return fault('address_taken', `${to.address} is in the address book`);
    }
    this.#statements.run(
      `INSERT INTO withdraw_addresses (uid, type, coin, chain, address, memo, label, created_time)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      mainUid,
      to.type,
      to.coin,
      to.chain,
      to.address,
      to.memo,
      label,
      nowMs,
    );
    return { ok: true, value: this.#find(mainUid, to)! };
  }

  remove(mainUid: number, id: number): IdentityResult<BookedAddress> {
    const row = this.#statements.one(
      'SELECT * FROM withdraw_addresses WHERE uid = ? AND id = ?',
      mainUid,
      id,
    );
    if (row === undefined) return fault('address_unknown', `there is no address ${id} in the book`);
    this.#statements.run('DELETE FROM withdraw_addresses WHERE id = ?', id);
    return { ok: true, value: addressOf(row) };
  }

  /** Newest first. */
  list(mainUid: number, { coin, type, limit, beforeId }: AddressPage): BookedAddress[] {
    const sql = `SELECT * FROM withdraw_addresses WHERE uid = ? AND id < ?
      AND (? IS NULL OR coin = ? OR coin = '') AND (? IS NULL OR type = ?) ORDER BY id DESC LIMIT ?`;
    const [ofCoin, ofType] = [coin ?? null, type ?? null];
    const before = beforeId ?? Number.MAX_SAFE_INTEGER;
    return this.#statements.all(sql, mainUid, before, ofCoin, ofCoin, ofType, ofType, limit).map(addressOf);
  }

  isLocked(mainUid: number): boolean {
    return this.#statements.one('SELECT address_lock FROM users WHERE uid = ?', mainUid)?.address_lock === 1;
  }

  lock(mainUid: number, on: boolean): void {
    this.#statements.run('UPDATE users SET address_lock = ? WHERE uid = ?', on ? 1 : 0, mainUid);
  }

  /** Is a withdrawal to this destination allowed? */
  admits(mainUid: number, to: Destination): boolean {
    if (!this.isLocked(mainUid)) return true;
    if (this.#find(mainUid, to) !== undefined) return true;
    return to.type === 'regular' && this.#find(mainUid, { ...to, type: 'universal', coin: '' }) !== undefined;
  }

  #find(mainUid: number, to: Destination): BookedAddress | undefined {
    const row = this.#statements.one(
      `SELECT * FROM withdraw_addresses WHERE uid = ? AND type = ? AND coin = ? AND chain = ? AND address = ?
       AND memo = ?`,
      mainUid,
      to.type,
      to.coin,
      to.chain,
      to.address,
      to.memo,
    );
    return row && addressOf(row);
  }
}

function addressOf(row: Row): BookedAddress {
  return {
    id: Number(row.id),
    type: row.type as AddressType,
    coin: String(row.coin),
    chain: String(row.chain),
    address: String(row.address),
    memo: String(row.memo),
    label: String(row.label),
    createdTime: Number(row.created_time),
  };
}
