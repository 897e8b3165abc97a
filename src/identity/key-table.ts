/** API keys and the hashes of their passphrases, as rows of the identity store. */
import type { ApiKey, KeyKind, NewKey } from './identity.ts';
import { keyOf, type Row } from './identity-rows.ts';
import type { StoredPassphrase } from './passphrase.ts';
import type { Seal } from './sealing.ts';
import type { Statements } from './statements.ts';

export class KeyTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  insert(apiKey: string, kind: KeyKind, input: NewKey, sealed: Seal, demo: boolean): void {
    this.#statements.run(
      `INSERT INTO api_keys (api_key, uid, kind, label, perm_type, permissions, ip_list, created_time,
         last_used_time, demo, version, seal_key_id, seal_version, sealed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 1, ?, ?, ?)`,
      apiKey,
      input.uid,
      kind,
      input.label,
      input.permType,
      JSON.stringify(input.permissions),
      JSON.stringify(input.ipList ?? []),
      input.nowMs,
      demo ? 1 : 0,
      sealed.keyId,
      sealed.version,
      sealed.bytes,
    );
  }

  row(apiKey: string): Row | undefined {
    return this.#statements.one('SELECT * FROM api_keys WHERE api_key = ?', apiKey);
  }

  find(apiKey: string): ApiKey | undefined {
    const row = this.row(apiKey);
    return row && keyOf(row);
  }

  findOfSub(mainUid: number, apiKey: string): ApiKey | undefined {
    const sql =
      'SELECT api_keys.* FROM api_keys JOIN users USING (uid) WHERE users.parent_uid = ? AND api_key = ?';
    const row = this.#statements.one(sql, mainUid, apiKey);
    return row && keyOf(row);
  }

  list(uid: number): ApiKey[] {
    return this.#statements
      .all('SELECT * FROM api_keys WHERE uid = ? ORDER BY created_time, api_key', uid)
      .map(keyOf);
  }

  count(): number {
    return Number(this.#statements.one('SELECT count(*) AS keys FROM api_keys')!.keys);
  }

  /** One key of each key-encryption key in use. */
  sealed(): Row[] {
    return this.#statements.all('SELECT * FROM api_keys GROUP BY seal_key_id');
  }

  deleteOf(uid: number): void {
    this.#statements.run('DELETE FROM api_keys WHERE uid = ?', uid);
  }

  countOf(uid: number): number {
    return Number(this.#statements.one('SELECT count(*) AS keys FROM api_keys WHERE uid = ?', uid)!.keys);
  }

  setRights(
    apiKey: string,
    { label, permType, permissions, ipList }: Pick<ApiKey, 'label' | 'permType' | 'permissions' | 'ipList'>,
  ): void {
    this.#statements.run(
      `UPDATE api_keys SET label = ?, perm_type = ?, permissions = ?, ip_list = ?, version = version + 1
       WHERE api_key = ?`,
      label,
      permType,
      JSON.stringify(permissions),
      JSON.stringify(ipList),
      apiKey,
    );
  }

  countChange(apiKey: string): void {
    this.#statements.run('UPDATE api_keys SET version = version + 1 WHERE api_key = ?', apiKey);
  }

  setLastUsed(apiKey: string, usedMs: number): void {
    this.#statements.run('UPDATE api_keys SET last_used_time = ? WHERE api_key = ?', usedMs, apiKey);
  }

  delete(apiKey: string): void {
    this.#statements.run('DELETE FROM api_keys WHERE api_key = ?', apiKey);
  }

  passphrase(apiKey: string): StoredPassphrase | undefined {
    const row = this.#statements.one('SELECT * FROM passphrases WHERE api_key = ?', apiKey);
    return (
      row && {
        salt: row.salt as Uint8Array,
        hash: row.hash as Uint8Array,
        cost: { N: Number(row.scrypt_n), r: Number(row.scrypt_r), p: Number(row.scrypt_p) },
      }
    );
  }

  setPassphrase(apiKey: string, { salt, hash, cost }: StoredPassphrase): void {
    this.#statements.run(
      // Not OR REPLACE: it would delete the old row without a trigger (`contents.ts`).
      `INSERT INTO passphrases (api_key, salt, hash, scrypt_n, scrypt_r, scrypt_p) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (api_key) DO UPDATE SET salt = excluded.salt, hash = excluded.hash, scrypt_n = excluded.scrypt_n,
         scrypt_r = excluded.scrypt_r, scrypt_p = excluded.scrypt_p`,
      apiKey,
      salt,
      hash,
      cost.N,
      cost.r,
      cost.p,
    );
  }
}
