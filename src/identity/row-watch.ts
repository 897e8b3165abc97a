/** Tells which rows change, whoever changes them, so that nothing that was kept of them stays in memory. */
import type { DatabaseSync } from 'node:sqlite';

export interface RowListener {
  /** The key, its rights or its secret; its last use is none of them. */
  keyChanged(apiKey: string): void;
  passphraseChanged(apiKey: string): void;
  userChanged(uid: number): void;
}

/** A hash that is stored for the first time is no change: the program may have known the passphrase before. */
const WATCHED = [
  ['api_keys', 'UPDATE', 'WHEN OLD.last_used_time IS NEW.last_used_time', 'key_changed(OLD.api_key)'],
  ['api_keys', 'DELETE', '', 'key_changed(OLD.api_key)'],
  ['passphrases', 'UPDATE', '', 'passphrase_changed(OLD.api_key)'],
  ['passphrases', 'DELETE', '', 'passphrase_changed(OLD.api_key)'],
  ['users', 'UPDATE', '', 'user_changed(OLD.uid)'],
  ['users', 'DELETE', '', 'user_changed(OLD.uid)'],
] as const;

export function watchRows(database: DatabaseSync, listener: RowListener): void {
  const tell = (name: string, heard: (id: string) => void) =>
    database.function(name, (id) => {
      heard(String(id));
      return null;
    });
  tell('key_changed', (apiKey) => listener.keyChanged(apiKey));
  tell('passphrase_changed', (apiKey) => listener.passphraseChanged(apiKey));
  tell('user_changed', (uid) => listener.userChanged(Number(uid)));
  for (const [table, event, condition, call] of WATCHED) {
    database.exec(`CREATE TEMP TRIGGER ${table}_${event}_told AFTER ${event} ON main.${table} ${condition}
      BEGIN SELECT ${call}; END`);
  }
}
