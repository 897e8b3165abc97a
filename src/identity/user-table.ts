/** Main accounts and their sub-accounts, as rows of the identity store. */
import {
  type IdentityResult,
  LOST_NOTE,
  type LostUser,
  type NewUser,
  SUB_RIGHTS,
  SUBS_PER_BROKER_MAX,
  SUBS_PER_USER_MAX,
  type SubPage,
  type User,
  type UserChange,
  type UserPage,
} from './identity.ts';
import { userOf } from './identity-rows.ts';
import { fault, nameFault } from './key-validation.ts';
import type { Statements } from './statements.ts';

const PAGE_LIMIT_MAX = 1_000;
const ANY = -1;

export class UserTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  create(user: NewUser): IdentityResult<User> {
    return this.#insert(user, undefined);
  }

  createSub(mainUid: number, user: NewUser): IdentityResult<User> {
    const parent = this.find(mainUid);
    if (parent === undefined) return fault('user_unknown', `there is no user ${mainUid}`);
    if (parent.mainUid !== undefined) {
      return fault('sub_of_sub', `user ${mainUid} is a sub-account and cannot have sub-accounts`);
    }
    const { subs } = this.#statements.one(
      'SELECT count(*) AS subs FROM users WHERE parent_uid = ?',
      mainUid,
    )!;
    const most = parent.broker ? SUBS_PER_BROKER_MAX : SUBS_PER_USER_MAX;
    if (Number(subs) >= most) {
      return fault('too_many_subs', `this account has ${most} sub-accounts, which is the most it may have`);
    }
    return this.#insert(user, mainUid);
  }

  #insert(user: NewUser, mainUid: number | undefined): IdentityResult<User> {
    const refused = nameFault(user.name);
    if (refused !== undefined) return refused;
    if (this.#findByName(mainUid ?? 0, user.name) !== undefined) {
      return fault('name_taken', `the name ${JSON.stringify(user.name)} is taken`);
    }
    const { lastInsertRowid } = this.#statements.run(
      `INSERT INTO users (name, parent_uid, broker, note, regis_time, updated_time, inviter_id, channel, channel_code, frozen)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      user.name,
      mainUid ?? null,
      user.broker === true ? 1 : 0,
      user.note ?? '',
      user.nowMs,
      user.nowMs,
      user.inviterId ?? '',
      user.channel ?? '',
      user.channelCode ?? '',
    );
    return { ok: true, value: this.find(Number(lastInsertRowid))! };
  }

  /** A placeholder for a lost user, without any key. */
  insertLost({ uid, name, mainUid }: LostUser, nowMs: number): void {
    const sql = `INSERT INTO users (uid, name, parent_uid, broker, note, regis_time, updated_time, inviter_id, channel,
      channel_code, frozen) VALUES (?, ?, ?, 0, ?, ?, ?, '', '', '', 1)`;
    this.#statements.run(sql, uid, name ?? `lost-${uid}`, mainUid ?? null, LOST_NOTE, nowMs, nowMs);
  }

  /** The user has another `updatedTime` afterwards, whatever the clock says. */
  claim(uid: number, nowMs: number): User | undefined {
    this.#statements.run(
      'UPDATE users SET updated_time = max(?, updated_time + 1) WHERE uid = ?',
      nowMs,
      uid,
    );
    return this.find(uid);
  }

  remove(uid: number): void {
    this.#statements.run('DELETE FROM users WHERE uid = ?', uid);
  }

  find(uid: number): User | undefined {
    const row = this.#statements.one('SELECT * FROM users WHERE uid = ?', uid);
    return row && userOf(row);
  }

  findSub(mainUid: number, uid: number): User | undefined {
    const row = this.#statements.one('SELECT * FROM users WHERE parent_uid = ? AND uid = ?', mainUid, uid);
    return row && userOf(row);
  }

  findMainByName(name: string): User | undefined {
    return this.#findByName(0, name);
  }

  findSubByName(mainUid: number, name: string): User | undefined {
    return this.#findByName(mainUid, name);
  }

  findSubsByName(name: string, limit: number): User[] {
    const sql = 'SELECT * FROM users WHERE parent_uid IS NOT NULL AND name = ? ORDER BY uid LIMIT ?';
    return this.#statements.all(sql, name, limit).map(userOf);
  }

  #findByName(mainUid: number, name: string): User | undefined {
    const sql = 'SELECT * FROM users WHERE ifnull(parent_uid, 0) = ? AND name = ?';
    const row = this.#statements.one(sql, mainUid, name);
    return row && userOf(row);
  }

  change(uid: number, change: UserChange, nowMs: number): IdentityResult<User> {
    const old = this.find(uid);
    if (old === undefined) return fault('user_unknown', `there is no user ${uid}`);
    if (change.broker === true && old.mainUid !== undefined) {
      return fault('not_main', `user ${uid} is a sub-account; only a main account can be a broker`);
    }
    const rights = change.rights ?? old.rights;
    this.#statements.run(
      'UPDATE users SET frozen = ?, broker = ?, rights = ?, updated_time = ? WHERE uid = ?',
      (change.frozen ?? old.frozen) ? 1 : 0,
      (change.broker ?? old.broker) ? 1 : 0,
      JSON.stringify(SUB_RIGHTS.filter((right) => rights.includes(right))),
      nowMs,
      uid,
    );
    return { ok: true, value: this.find(uid)! };
  }

  list(page: UserPage = {}): User[] {
    const sql = 'SELECT * FROM users WHERE uid > ? ORDER BY uid LIMIT ?';
    return this.#statements.all(sql, ...bounds(page)).map(userOf);
  }

  listSubs(mainUid: number, page: SubPage = {}): User[] {
    const sql = `SELECT * FROM users WHERE parent_uid = ? AND (? = ${ANY} OR frozen = ?) AND uid > ?
      ORDER BY uid LIMIT ?`;
    const frozen = page.frozen === undefined ? ANY : Number(page.frozen);
    return this.#statements.all(sql, mainUid, frozen, frozen, ...bounds(page)).map(userOf);
  }
}

function bounds(page: UserPage): [number, number] {
  return [page.afterUid ?? 0, Math.min(page.limit ?? PAGE_LIMIT_MAX, PAGE_LIMIT_MAX)];
}
