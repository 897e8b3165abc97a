CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
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
, commission TEXT NOT NULL DEFAULT '0', checksum INTEGER) STRICT;
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
, wallet TEXT NOT NULL DEFAULT 'uta', checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
CREATE TABLE funding_rates (
  category          TEXT NOT NULL,
  symbol            TEXT NOT NULL,
  funding_time      INTEGER NOT NULL,
  funding_rate      TEXT NOT NULL, checksum INTEGER,
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
, checksum INTEGER) STRICT;
CREATE INDEX liquidations_by_symbol ON liquidations (category, symbol);
CREATE INDEX liquidations_by_category ON liquidations (category);
CREATE VIEW closed_positions_printed AS
  SELECT printf('1%018d', position_id) AS printed_position_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM closed_positions;
CREATE TABLE "candles" (
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
  turnover        TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (category, symbol, type, width, open_time)
) STRICT, WITHOUT ROWID;
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
, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
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
, checksum INTEGER) STRICT;
CREATE INDEX loan_reductions_by_time ON loan_reductions (uid, reduce_time);
CREATE TABLE insurance_hours (
  coin            TEXT NOT NULL,
  hour_time       INTEGER NOT NULL,
  amount          TEXT NOT NULL,
  balance         TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (coin, hour_time)
) STRICT, WITHOUT ROWID;
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
, checksum INTEGER) STRICT;
CREATE INDEX conversions_by_uid ON conversions (uid, ts);
CREATE VIEW conversions_printed AS
  SELECT printf('1%018d', conversion_id) AS printed_conversion_id,
         strftime('%Y-%m-%d %H:%M:%f', ts / 1000.0, 'unixepoch') AS created_at, *
  FROM conversions;
CREATE INDEX closed_positions_by_category ON closed_positions (uid, category, updated_time, position_id);
CREATE INDEX closed_positions_by_symbol ON closed_positions (uid, category, symbol, updated_time, position_id);
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
, checksum INTEGER) STRICT;
CREATE INDEX strategy_orders_by_category ON strategy_orders (uid, category, created_time);
CREATE INDEX strategy_orders_by_type ON strategy_orders (uid, category, type, created_time);
CREATE INDEX strategy_orders_by_client_oid ON strategy_orders (uid, client_oid);
CREATE VIEW strategy_orders_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM strategy_orders;
CREATE TABLE position_moves (
  order_id        INTEGER PRIMARY KEY,
  master_uid      INTEGER NOT NULL,
  from_uid        INTEGER NOT NULL,
  to_uid          INTEGER NOT NULL,
  open_order_id   INTEGER NOT NULL,
  category        TEXT NOT NULL,
  open_exec_id    TEXT NOT NULL,
  close_exec_id   TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  pos_side        TEXT NOT NULL,
  qty             TEXT NOT NULL,
  price           TEXT NOT NULL,
  created_time    INTEGER NOT NULL
, checksum INTEGER) STRICT;
CREATE INDEX position_moves_by_category ON position_moves (master_uid, category, created_time);
CREATE INDEX position_moves_by_symbol ON position_moves (master_uid, category, symbol, created_time);
CREATE VIEW position_moves_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM position_moves;
CREATE TABLE totals (
  table_name      TEXT NOT NULL PRIMARY KEY,
  rows            INTEGER NOT NULL,
  checksums       INTEGER NOT NULL,
  checksum        INTEGER
) STRICT, WITHOUT ROWID;
