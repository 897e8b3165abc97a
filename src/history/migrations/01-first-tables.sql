-- `id` is the rowid and thus the last column of every index: rows of one millisecond stay in order.

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
