/**
 * Quotas of order requests of a main account and its sub-accounts (wire 4.4). Each begins with the standard; more for
 * one account is taken from another, or from what the operator has added.
 */
import { type IdentityResult, type PartyQuota, type QuotaCategory, STANDARD_QUOTA } from './identity.ts';
import { fault } from './key-validation.ts';
import type { Statements } from './statements.ts';

const QUOTA_COLUMN: Readonly<Record<QuotaCategory, string>> = {
  spot: 'spot_quota',
  futures: 'futures_quota',
};
const EXTRA: Readonly<Record<QuotaCategory, string>> = { spot: 'spot_extra', futures: 'futures_extra' };
const FAMILY = 'parent_uid = ?1 OR (uid = ?1 AND parent_uid IS NULL)';

export class QuotaTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  ofParty(mainUid: number, category: QuotaCategory): PartyQuota {
    const sums = this.#statements.one(
      `SELECT count(*) AS accounts, total(ifnull(${QUOTA_COLUMN[category]}, ${STANDARD_QUOTA})) AS given,
         total(${EXTRA[category]}) AS extra FROM users WHERE ${FAMILY}`,
      mainUid,
    )!;
    return { given: Number(sums.given), cap: Number(sums.accounts) * STANDARD_QUOTA + Number(sums.extra) };
  }

  set(
    mainUid: number,
    category: QuotaCategory,
    uids: readonly number[],
    quota: number,
  ): IdentityResult<PartyQuota> {
    return this.#within(mainUid, category, () => {
      const sql = `UPDATE users SET ${QUOTA_COLUMN[category]} = ?3 WHERE uid = ?2 AND (${FAMILY})`;
      return uids.every((uid) => this.#statements.run(sql, mainUid, uid, quota).changes === 1);
    });
  }

  setExtra(mainUid: number, category: QuotaCategory, extra: number): IdentityResult<PartyQuota> {
    return this.#within(mainUid, category, () => {
      const sql = `UPDATE users SET ${EXTRA[category]} = ?2 WHERE uid = ?1 AND parent_uid IS NULL`;
      return this.#statements.run(sql, mainUid, extra).changes === 1;
    });
  }

  /** Keeps the change only if the sum stays within the cap. */
  #within(mainUid: number, category: QuotaCategory, change: () => boolean): IdentityResult<PartyQuota> {
    try {
      return this.#statements.transaction(() => {
        if (!change()) throw new Rollback(fault('user_unknown', `no such account of ${mainUid}`));
        const family = this.ofParty(mainUid, category);
        const { given, cap } = family;
        if (given <= cap) return { ok: true, value: family };
        const message = `the accounts of ${mainUid} would have ${given} ${category} orders a second together and may have ${cap}`;
        throw new Rollback(fault('quota_above_cap', message));
      });
    } catch (error) {
      if (error instanceof Rollback) return error.outcome;
      throw error;
    }
  }
}

/** Rolls the transaction back. */
class Rollback extends Error {
  readonly outcome: IdentityResult<never>;

  constructor(outcome: IdentityResult<never>) {
    super('not kept');
    this.outcome = outcome;
  }
}
