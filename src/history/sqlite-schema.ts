/**
 * Tables of the SQLite history (docs/history.md). Columns are named like the interface's fields; decimals are text,
 * times are Unix milliseconds, ids are the internal counter. The `..._printed` views add what people see.
 * A migration, once released, is never edited: changes are new entries at the end.
 */
import type { DatabaseSync } from 'node:sqlite';

/** `id` is the rowid and thus the last column of every index: rows of one millisecond stay in order. */
const FIRST_TABLES = `
CREATE TABLE closed_orders (
  order_id        INTEGER PRIMARY KEY,
  uid             INTEGER NOT NULL,
  client_oid      TEXT NOT NULL,
  category        TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  price           TEXT NOT NULL,
  qty             TEXT NOT NULL,
  amount          TEXT NOT NULL,
  order_type      TEXT NOT NULL,
  cum_exec_qty    TEXT NOT NULL,
  cum_exec_value  TEXT NOT NULL,
  avg_price       TEXT NOT NULL,
  order_status    TEXT NOT NULL,
  side            TEXT NOT NULL,
  time_in_force   TEXT NOT NULL,
  pos_side        TEXT NOT NULL,
  hold_mode       TEXT NOT NULL,
  trade_side      TEXT NOT NULL,
  delegate_type   TEXT NOT NULL,
  margin_mode     TEXT NOT NULL,
  stp_mode        TEXT NOT NULL,
  take_profit     TEXT NOT NULL,
  stop_loss       TEXT NOT NULL,
  tp_trigger_by   TEXT NOT NULL,
  sl_trigger_by   TEXT NOT NULL,
  tp_order_type   TEXT NOT NULL,
  sl_order_type   TEXT NOT NULL,
  tp_limit_price  TEXT NOT NULL,
  sl_limit_price  TEXT NOT NULL,
  reduce_only     TEXT NOT NULL,
  fee_coin        TEXT NOT NULL,
  fee             TEXT NOT NULL,
  cancel_reason   TEXT NOT NULL,
  exec_type       TEXT NOT NULL,
  created_time    INTEGER NOT NULL,
  updated_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_orders_by_category ON closed_orders (uid, category, created_time);
CREATE INDEX closed_orders_by_symbol ON closed_orders (uid, symbol, created_time);
CREATE INDEX closed_orders_by_client_oid ON closed_orders (uid, client_oid);

CREATE TABLE fills (
  exec_id         INTEGER PRIMARY KEY,
  exec_link_id    INTEGER NOT NULL,
  order_id        INTEGER NOT NULL,
  uid             INTEGER NOT NULL,
  client_oid      TEXT NOT NULL,
  category        TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  order_type      TEXT NOT NULL,
  side            TEXT NOT NULL,
  exec_price      TEXT NOT NULL,
  exec_qty        TEXT NOT NULL,
  exec_value      TEXT NOT NULL,
  trade_scope     TEXT NOT NULL,
  trade_side      TEXT NOT NULL,
  pos_side        TEXT NOT NULL,
  fee_coin        TEXT NOT NULL,
  fee             TEXT NOT NULL,
  exec_pnl        TEXT NOT NULL,
  is_rpi          TEXT NOT NULL,
  created_time    INTEGER NOT NULL,
  updated_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX fills_by_category ON fills (uid, category, created_time);
CREATE INDEX fills_by_symbol ON fills (uid, symbol, created_time);
CREATE INDEX fills_by_order ON fills (order_id);

CREATE TABLE ledger_lines (
  id              INTEGER PRIMARY KEY,
  uid             INTEGER NOT NULL,
  category        TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  coin            TEXT NOT NULL,
  type            TEXT NOT NULL,
  amount          TEXT NOT NULL,
  fee             TEXT NOT NULL,
  balance         TEXT NOT NULL,
  reference       TEXT NOT NULL,
  ts              INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_lines_by_category ON ledger_lines (uid, category, ts);
CREATE INDEX ledger_lines_by_coin ON ledger_lines (uid, coin, ts);

CREATE TABLE candles (
  category        TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  width           TEXT NOT NULL,
  open_time       INTEGER NOT NULL,
  open            TEXT NOT NULL,
  high            TEXT NOT NULL,
  low             TEXT NOT NULL,
  close           TEXT NOT NULL,
  volume          TEXT NOT NULL,
  turnover        TEXT NOT NULL,
  PRIMARY KEY (category, symbol, width, open_time)
) STRICT, WITHOUT ROWID;

CREATE VIEW closed_orders_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM closed_orders;
CREATE VIEW fills_printed AS
  SELECT printf('1%018d', exec_id) AS printed_exec_id, printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM fills;
CREATE VIEW ledger_lines_printed AS
  SELECT printf('1%018d', id) AS printed_id,
         strftime('%Y-%m-%d %H:%M:%f', ts / 1000.0, 'unixepoch') AS created_at, *
  FROM ledger_lines;

INSERT INTO meta (key, value) VALUES ('last_seq', 0);
`;

/** A wallet is the first word of every page of lines, so the old indexes would be walked in vain. */
const WALLETS = `
ALTER TABLE ledger_lines ADD COLUMN wallet TEXT NOT NULL DEFAULT 'uta';
DROP INDEX ledger_lines_by_category;
DROP INDEX ledger_lines_by_coin;
CREATE INDEX ledger_lines_by_category ON ledger_lines (uid, wallet, category, ts);
CREATE INDEX ledger_lines_by_coin ON ledger_lines (uid, wallet, coin, ts);

CREATE TABLE transfers (
  transfer_id     INTEGER PRIMARY KEY,
  initiator_uid   INTEGER NOT NULL,
  from_user_id    INTEGER NOT NULL,
  to_user_id      INTEGER NOT NULL,
  from_type       TEXT NOT NULL,
  to_type         TEXT NOT NULL,
  coin            TEXT NOT NULL,
  amount          TEXT NOT NULL,
  client_oid      TEXT NOT NULL,
  created_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX transfers_by_initiator ON transfers (initiator_uid, created_time);
CREATE INDEX transfers_by_sender ON transfers (from_user_id, created_time);
CREATE INDEX transfers_by_receiver ON transfers (to_user_id, created_time);

CREATE TABLE wallet_records (
  order_id        INTEGER PRIMARY KEY,
  uid             INTEGER NOT NULL,
  record_id       TEXT NOT NULL,
  client_oid      TEXT NOT NULL,
  coin            TEXT NOT NULL,
  type            TEXT NOT NULL,
  dest            TEXT NOT NULL,
  size            TEXT NOT NULL,
  status          TEXT NOT NULL,
  from_address    TEXT NOT NULL,
  to_address      TEXT NOT NULL,
  chain           TEXT NOT NULL,
  fee             TEXT NOT NULL,
  tag             TEXT NOT NULL,
  reference       TEXT NOT NULL,
  created_time    INTEGER NOT NULL,
  updated_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_records_by_type ON wallet_records (uid, type, created_time);
CREATE INDEX wallet_records_by_coin ON wallet_records (uid, type, coin, created_time);
CREATE INDEX wallet_records_by_client_oid ON wallet_records (uid, type, client_oid, created_time);

CREATE VIEW transfers_printed AS
  SELECT printf('1%018d', transfer_id) AS printed_transfer_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM transfers;
CREATE VIEW wallet_records_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM wallet_records;
`;

/** Funding rates and liquidations belong to markets, not to users. */
const FUTURES = `
CREATE TABLE closed_positions (
  position_id       INTEGER PRIMARY KEY,
  uid               INTEGER NOT NULL,
  category          TEXT NOT NULL,
  symbol            TEXT NOT NULL,
  margin_coin       TEXT NOT NULL,
  hold_mode         TEXT NOT NULL,
  pos_side          TEXT NOT NULL,
  margin_mode       TEXT NOT NULL,
  open_price_avg    TEXT NOT NULL,
  close_price_avg   TEXT NOT NULL,
  open_total_pos    TEXT NOT NULL,
  close_total_pos   TEXT NOT NULL,
  cum_realised_pnl  TEXT NOT NULL,
  net_profit        TEXT NOT NULL,
  total_funding     TEXT NOT NULL,
  open_fee_total    TEXT NOT NULL,
  close_fee_total   TEXT NOT NULL,
  created_time      INTEGER NOT NULL,
  updated_time      INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_positions_by_category ON closed_positions (uid, category, created_time);
CREATE INDEX closed_positions_by_symbol ON closed_positions (uid, symbol, created_time);

CREATE TABLE funding_rates (
  category          TEXT NOT NULL,
  symbol            TEXT NOT NULL,
  funding_time      INTEGER NOT NULL,
  funding_rate      TEXT NOT NULL,
  PRIMARY KEY (category, symbol, funding_time)
) STRICT, WITHOUT ROWID;

CREATE TABLE liquidations (
  exec_id           INTEGER PRIMARY KEY,
  category          TEXT NOT NULL,
  symbol            TEXT NOT NULL,
  side              TEXT NOT NULL,
  price             TEXT NOT NULL,
  amount            TEXT NOT NULL,
  ts                INTEGER NOT NULL
) STRICT;
CREATE INDEX liquidations_by_symbol ON liquidations (category, symbol);
CREATE INDEX liquidations_by_category ON liquidations (category);

CREATE VIEW closed_positions_printed AS
  SELECT printf('1%018d', position_id) AS printed_position_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM closed_positions;
`;

/** Candles of mark, index and premium stand beside those of trades. */
const PRICE_CANDLES = `
CREATE TABLE typed_candles (
  category        TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  type            TEXT NOT NULL,
  width           TEXT NOT NULL,
  open_time       INTEGER NOT NULL,
  open            TEXT NOT NULL,
  high            TEXT NOT NULL,
  low             TEXT NOT NULL,
  close           TEXT NOT NULL,
  volume          TEXT NOT NULL,
  turnover        TEXT NOT NULL,
  PRIMARY KEY (category, symbol, type, width, open_time)
) STRICT, WITHOUT ROWID;
INSERT INTO typed_candles
  SELECT category, symbol, 'market', width, open_time, open, high, low, close, volume, turnover FROM candles;
DROP TABLE candles;
ALTER TABLE typed_candles RENAME TO candles;
`;

/** A made-up past, apart from what happened: `candles` is an archive as packed by `generated-candles.ts`. */
const GENERATED = `
CREATE TABLE generated_candles (
  category            TEXT NOT NULL,
  symbol              TEXT NOT NULL,
  width               TEXT NOT NULL,
  first_open          INTEGER NOT NULL,
  last_open           INTEGER NOT NULL,
  price_precision     INTEGER NOT NULL,
  quantity_precision  INTEGER NOT NULL,
  candles             BLOB NOT NULL,
  PRIMARY KEY (category, symbol, width, first_open)
) STRICT;
`;

/** Of loans only those that have ended; the others are in the state. */
const LOANS = `
CREATE TABLE closed_loans (
  order_id            INTEGER PRIMARY KEY,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  init_pledge_amount  TEXT NOT NULL,
  init_loan_amount    TEXT NOT NULL,
  hour_rate           TEXT NOT NULL,
  pledge_days         TEXT NOT NULL,
  daily               TEXT NOT NULL,
  status              TEXT NOT NULL,
  borrow_time         INTEGER NOT NULL,
  updated_time        INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_loans_by_time ON closed_loans (uid, borrow_time);

CREATE TABLE loan_repayments (
  repay_id            INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  repay_amount        TEXT NOT NULL,
  pay_interest        TEXT NOT NULL,
  repay_loan_amount   TEXT NOT NULL,
  repay_unlock_amount TEXT NOT NULL,
  repay_time          INTEGER NOT NULL
) STRICT;
CREATE INDEX loan_repayments_by_time ON loan_repayments (uid, repay_time);

CREATE TABLE pledge_revisions (
  revise_id           INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  revise_side         TEXT NOT NULL,
  revise_amount       TEXT NOT NULL,
  after_pledge_rate   TEXT NOT NULL,
  before_pledge_rate  TEXT NOT NULL,
  revise_time         INTEGER NOT NULL
) STRICT;
CREATE INDEX pledge_revisions_by_time ON pledge_revisions (uid, revise_time);

CREATE TABLE loan_reductions (
  reduce_id           INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  pledge_rate         TEXT NOT NULL,
  pledge_price        TEXT NOT NULL,
  status              TEXT NOT NULL,
  pledge_amount       TEXT NOT NULL,
  reduce_fee          TEXT NOT NULL,
  residue_amount      TEXT NOT NULL,
  runlock_amount      TEXT NOT NULL,
  repay_loan_amount   TEXT NOT NULL,
  reduce_time         INTEGER NOT NULL
) STRICT;
CREATE INDEX loan_reductions_by_time ON loan_reductions (uid, reduce_time);
`;

const INSURANCE = `
CREATE TABLE insurance_hours (
  coin            TEXT NOT NULL,
  hour_time       INTEGER NOT NULL,
  amount          TEXT NOT NULL,
  balance         TEXT NOT NULL,
  PRIMARY KEY (coin, hour_time)
) STRICT, WITHOUT ROWID;
`;

const CONVERSIONS = `
CREATE TABLE conversions (
  conversion_id     INTEGER PRIMARY KEY,
  uid               INTEGER NOT NULL,
  from_coin         TEXT NOT NULL,
  from_coin_size    TEXT NOT NULL,
  to_coin           TEXT NOT NULL,
  to_coin_size      TEXT NOT NULL,
  price             TEXT NOT NULL,
  type              TEXT NOT NULL,
  ts                INTEGER NOT NULL
) STRICT;
CREATE INDEX conversions_by_uid ON conversions (uid, ts);

CREATE VIEW conversions_printed AS
  SELECT printf('1%018d', conversion_id) AS printed_conversion_id,
         strftime('%Y-%m-%d %H:%M:%f', ts / 1000.0, 'unixepoch') AS created_at, *
  FROM conversions;
`;

/** Positions are looked for by when they ended. */
const ENDED_POSITIONS = `
DROP INDEX closed_positions_by_category;
DROP INDEX closed_positions_by_symbol;
CREATE INDEX closed_positions_by_category ON closed_positions (uid, category, updated_time, position_id);
CREATE INDEX closed_positions_by_symbol ON closed_positions (uid, category, symbol, updated_time, position_id);
`;

const STRATEGIES = `
CREATE TABLE strategy_orders (
  order_id            INTEGER PRIMARY KEY,
  uid                 INTEGER NOT NULL,
  client_oid          TEXT NOT NULL,
  category            TEXT NOT NULL,
  symbol              TEXT NOT NULL,
  qty                 TEXT NOT NULL,
  pos_side            TEXT NOT NULL,
  status              TEXT NOT NULL,
  trigger_type        TEXT NOT NULL,
  tp_trigger_by       TEXT NOT NULL,
  sl_trigger_by       TEXT NOT NULL,
  take_profit         TEXT NOT NULL,
  stop_loss           TEXT NOT NULL,
  tp_order_type       TEXT NOT NULL,
  sl_order_type       TEXT NOT NULL,
  tp_limit_price      TEXT NOT NULL,
  sl_limit_price      TEXT NOT NULL,
  trigger_by          TEXT NOT NULL,
  trigger_price       TEXT NOT NULL,
  trigger_order_type  TEXT NOT NULL,
  trigger_order_price TEXT NOT NULL,
  type                TEXT NOT NULL,
  side                TEXT NOT NULL,
  reduce_only         TEXT NOT NULL,
  tpsl_mode           TEXT NOT NULL,
  callback_ratio      TEXT NOT NULL,
  cancel_reason       TEXT NOT NULL,
  fail_reason         TEXT NOT NULL,
  sub_order_id        TEXT NOT NULL,
  created_time        INTEGER NOT NULL,
  updated_time        INTEGER NOT NULL
) STRICT;
CREATE INDEX strategy_orders_by_category ON strategy_orders (uid, category, created_time);
CREATE INDEX strategy_orders_by_type ON strategy_orders (uid, category, type, created_time);
CREATE INDEX strategy_orders_by_client_oid ON strategy_orders (uid, client_oid);

CREATE VIEW strategy_orders_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM strategy_orders;
`;

const MIGRATIONS: readonly string[] = [
  FIRST_TABLES,
  WALLETS,
  FUTURES,
  PRICE_CANDLES,
  GENERATED,
  LOANS,
  INSURANCE,
  CONVERSIONS,
  ENDED_POSITIONS,
  STRATEGIES,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the database to the newest schema, one migration per transaction. */
export function migrate(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT');
  database.exec("INSERT INTO meta (key, value) VALUES ('schema_version', 0) ON CONFLICT (key) DO NOTHING");
  const found = readMeta(database, 'schema_version');
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `the history database has schema version ${found}, this program knows up to ${SCHEMA_VERSION}: ` +
        'start the newer program, or move the file away to have it rebuilt',
    );
  }
  for (let version = found + 1; version <= SCHEMA_VERSION; version++) {
    database.exec('BEGIN IMMEDIATE');
    database.exec(MIGRATIONS[version - 1]!);
    database.prepare("UPDATE meta SET value = ? WHERE key = 'schema_version'").run(version);
    database.exec('COMMIT');
  }
}

export function readMeta(database: DatabaseSync, key: 'schema_version' | 'last_seq'): number {
  const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(key);
  if (row === undefined) throw new Error(`the history database has no ${key} in its table meta`);
  return Number(row.value);
}
