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
