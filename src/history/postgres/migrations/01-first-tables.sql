-- The tables of the history as in SQLite (src/history/migrations), in a schema of their own. Columns that indexes compare are
-- in the order of their bytes, whatever the database's language is; an index ends with the id, so that rows of one millisecond
-- stay in order.

-- One row: the exchange whose history this is, and how far it has come. Every transaction raises `revision`.
CREATE TABLE meta (
  one             boolean PRIMARY KEY DEFAULT true CHECK (one),
  schema_version  bigint NOT NULL,
  instance        text NOT NULL,
  last_seq        bigint NOT NULL DEFAULT 0,
  complete_since  bigint NOT NULL DEFAULT 0,
  revision        bigint NOT NULL DEFAULT 0
);

-- How many rows a table has, and the sum of their checksums: so that a row that is gone shows.
CREATE TABLE totals (
  table_name      text COLLATE "C" PRIMARY KEY,
  rows            bigint NOT NULL DEFAULT 0,
  checksums       bigint NOT NULL DEFAULT 0
);

-- The first statement of every transaction: fails when another program has written since the last one.
CREATE FUNCTION advance(revision_ bigint, last_seq_ bigint, complete_since_ bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE meta SET revision = revision_ + 1, last_seq = last_seq_, complete_since = complete_since_
    WHERE revision = revision_ AND last_seq <= last_seq_;
  IF NOT FOUND THEN
    RAISE 'another program has written to the history' USING ERRCODE = 'BX001';
  END IF;
END $$;

CREATE TABLE closed_orders (
  order_id        bigint NOT NULL,
  uid             bigint NOT NULL,
  client_oid      text COLLATE "C" NOT NULL,
  category        text COLLATE "C" NOT NULL,
  symbol          text COLLATE "C" NOT NULL,
  price           text NOT NULL,
  qty             text NOT NULL,
  amount          text NOT NULL,
  order_type      text NOT NULL,
  cum_exec_qty    text NOT NULL,
  cum_exec_value  text NOT NULL,
  avg_price       text NOT NULL,
  order_status    text NOT NULL,
  side            text NOT NULL,
  time_in_force   text NOT NULL,
  pos_side        text NOT NULL,
  hold_mode       text NOT NULL,
  delegate_type   text NOT NULL,
  margin_mode     text NOT NULL,
  stp_mode        text NOT NULL,
  take_profit     text NOT NULL,
  stop_loss       text NOT NULL,
  tp_trigger_by   text NOT NULL,
  sl_trigger_by   text NOT NULL,
  tp_order_type   text NOT NULL,
  sl_order_type   text NOT NULL,
  tp_limit_price  text NOT NULL,
  sl_limit_price  text NOT NULL,
  reduce_only     text NOT NULL,
  cancel_reason   text NOT NULL,
  exec_type       text NOT NULL,
  trade_side      text NOT NULL,
  fee_coin        text NOT NULL,
  fee             text NOT NULL,
  created_time    bigint NOT NULL,
  updated_time    bigint NOT NULL,
  checksum        bigint NOT NULL,
  PRIMARY KEY (order_id)
);
CREATE INDEX closed_orders_by_category ON closed_orders (uid, category, created_time, order_id);
CREATE INDEX closed_orders_by_symbol ON closed_orders (uid, symbol, created_time, order_id);
CREATE INDEX closed_orders_by_client_oid ON closed_orders (uid, client_oid, order_id);

CREATE TABLE strategy_orders (
  order_id             bigint NOT NULL,
  uid                  bigint NOT NULL,
  client_oid           text COLLATE "C" NOT NULL,
  category             text COLLATE "C" NOT NULL,
  symbol               text NOT NULL,
  qty                  text NOT NULL,
  pos_side             text NOT NULL,
  status               text NOT NULL,
  trigger_type         text NOT NULL,
  take_profit          text NOT NULL,
  stop_loss            text NOT NULL,
  tp_trigger_by        text NOT NULL,
  sl_trigger_by        text NOT NULL,
  tp_order_type        text NOT NULL,
  sl_order_type        text NOT NULL,
  tp_limit_price       text NOT NULL,
  sl_limit_price       text NOT NULL,
  trigger_by           text NOT NULL,
  trigger_price        text NOT NULL,
  trigger_order_type   text NOT NULL,
  trigger_order_price  text NOT NULL,
  type                 text COLLATE "C" NOT NULL,
  side                 text NOT NULL,
  reduce_only          text NOT NULL,
  tpsl_mode            text NOT NULL,
  callback_ratio       text NOT NULL,
  cancel_reason        text NOT NULL,
  fail_reason          text NOT NULL,
  sub_order_id         text NOT NULL,
  created_time         bigint NOT NULL,
  updated_time         bigint NOT NULL,
  checksum             bigint NOT NULL,
  PRIMARY KEY (order_id)
);
CREATE INDEX strategy_orders_by_category ON strategy_orders (uid, category, created_time, order_id);
CREATE INDEX strategy_orders_by_type ON strategy_orders (uid, category, type, created_time, order_id);
CREATE INDEX strategy_orders_by_client_oid ON strategy_orders (uid, client_oid, order_id);

CREATE TABLE closed_positions (
  position_id       bigint NOT NULL,
  uid               bigint NOT NULL,
  category          text COLLATE "C" NOT NULL,
  symbol            text COLLATE "C" NOT NULL,
  margin_coin       text NOT NULL,
  hold_mode         text NOT NULL,
  pos_side          text NOT NULL,
  margin_mode       text NOT NULL,
  open_price_avg    text NOT NULL,
  close_price_avg   text NOT NULL,
  open_total_pos    text NOT NULL,
  close_total_pos   text NOT NULL,
  cum_realised_pnl  text NOT NULL,
  net_profit        text NOT NULL,
  total_funding     text NOT NULL,
  open_fee_total    text NOT NULL,
  close_fee_total   text NOT NULL,
  created_time      bigint NOT NULL,
  updated_time      bigint NOT NULL,
  checksum          bigint NOT NULL,
  PRIMARY KEY (position_id)
);
CREATE INDEX closed_positions_by_category ON closed_positions (uid, category, updated_time, position_id);
CREATE INDEX closed_positions_by_symbol ON closed_positions (uid, category, symbol, updated_time, position_id);

CREATE TABLE position_moves (
  order_id       bigint NOT NULL,
  master_uid     bigint NOT NULL,
  from_uid       bigint NOT NULL,
  to_uid         bigint NOT NULL,
  open_order_id  bigint NOT NULL,
  category       text COLLATE "C" NOT NULL,
  open_exec_id   text NOT NULL,
  close_exec_id  text NOT NULL,
  symbol         text COLLATE "C" NOT NULL,
  pos_side       text NOT NULL,
  qty            text NOT NULL,
  price          text NOT NULL,
  created_time   bigint NOT NULL,
  checksum       bigint NOT NULL,
  PRIMARY KEY (order_id)
);
CREATE INDEX position_moves_by_category ON position_moves (master_uid, category, created_time, order_id);
CREATE INDEX position_moves_by_symbol ON position_moves (master_uid, category, symbol, created_time, order_id);

CREATE TABLE fills (
  exec_id       bigint NOT NULL,
  exec_link_id  bigint NOT NULL,
  order_id      bigint NOT NULL,
  uid           bigint NOT NULL,
  commission    text NOT NULL,
  client_oid    text NOT NULL,
  category      text COLLATE "C" NOT NULL,
  symbol        text COLLATE "C" NOT NULL,
  order_type    text NOT NULL,
  side          text NOT NULL,
  exec_price    text NOT NULL,
  exec_qty      text NOT NULL,
  exec_value    text NOT NULL,
  trade_scope   text NOT NULL,
  trade_side    text NOT NULL,
  pos_side      text NOT NULL,
  exec_pnl      text NOT NULL,
  is_rpi        text NOT NULL,
  fee_coin      text NOT NULL,
  fee           text NOT NULL,
  created_time  bigint NOT NULL,
  updated_time  bigint NOT NULL,
  checksum      bigint NOT NULL,
  PRIMARY KEY (exec_id)
);
CREATE INDEX fills_by_category ON fills (uid, category, created_time, exec_id);
CREATE INDEX fills_by_symbol ON fills (uid, symbol, created_time, exec_id);
CREATE INDEX fills_by_order ON fills (order_id, exec_id);

CREATE TABLE liquidations (
  exec_id   bigint NOT NULL,
  category  text COLLATE "C" NOT NULL,
  symbol    text COLLATE "C" NOT NULL,
  side      text NOT NULL,
  price     text NOT NULL,
  amount    text NOT NULL,
  ts        bigint NOT NULL,
  checksum  bigint NOT NULL,
  PRIMARY KEY (exec_id)
);
CREATE INDEX liquidations_by_symbol ON liquidations (category, symbol, exec_id);
CREATE INDEX liquidations_by_category ON liquidations (category, exec_id);

CREATE TABLE ledger_lines (
  id         bigint NOT NULL,
  uid        bigint NOT NULL,
  category   text COLLATE "C" NOT NULL,
  symbol     text NOT NULL,
  coin       text COLLATE "C" NOT NULL,
  type       text NOT NULL,
  amount     text NOT NULL,
  fee        text NOT NULL,
  balance    text NOT NULL,
  wallet     text COLLATE "C" NOT NULL,
  reference  text NOT NULL,
  ts         bigint NOT NULL,
  checksum   bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX ledger_lines_by_category ON ledger_lines (uid, wallet, category, ts, id);
CREATE INDEX ledger_lines_by_coin ON ledger_lines (uid, wallet, coin, ts, id);

CREATE TABLE transfers (
  transfer_id    bigint NOT NULL,
  initiator_uid  bigint NOT NULL,
  from_user_id   bigint NOT NULL,
  to_user_id     bigint NOT NULL,
  from_type      text NOT NULL,
  to_type        text NOT NULL,
  coin           text NOT NULL,
  amount         text NOT NULL,
  client_oid     text NOT NULL,
  created_time   bigint NOT NULL,
  checksum       bigint NOT NULL,
  PRIMARY KEY (transfer_id)
);
CREATE INDEX transfers_by_initiator ON transfers (initiator_uid, created_time, transfer_id);
CREATE INDEX transfers_by_sender ON transfers (from_user_id, created_time, transfer_id);
CREATE INDEX transfers_by_receiver ON transfers (to_user_id, created_time, transfer_id);

CREATE TABLE wallet_records (
  order_id      bigint NOT NULL,
  uid           bigint NOT NULL,
  record_id     text NOT NULL,
  client_oid    text COLLATE "C" NOT NULL,
  coin          text COLLATE "C" NOT NULL,
  type          text COLLATE "C" NOT NULL,
  dest          text NOT NULL,
  size          text NOT NULL,
  status        text NOT NULL,
  from_address  text NOT NULL,
  to_address    text NOT NULL,
  chain         text NOT NULL,
  fee           text NOT NULL,
  tag           text NOT NULL,
  reference     text NOT NULL,
  created_time  bigint NOT NULL,
  updated_time  bigint NOT NULL,
  checksum      bigint NOT NULL,
  PRIMARY KEY (order_id)
);
CREATE INDEX wallet_records_by_type ON wallet_records (uid, type, created_time, order_id);
CREATE INDEX wallet_records_by_coin ON wallet_records (uid, type, coin, created_time, order_id);
CREATE INDEX wallet_records_by_client_oid ON wallet_records (uid, type, client_oid, created_time, order_id);

CREATE TABLE conversions (
  conversion_id   bigint NOT NULL,
  uid             bigint NOT NULL,
  from_coin       text NOT NULL,
  from_coin_size  text NOT NULL,
  to_coin         text NOT NULL,
  to_coin_size    text NOT NULL,
  price           text NOT NULL,
  type            text NOT NULL,
  ts              bigint NOT NULL,
  checksum        bigint NOT NULL,
  PRIMARY KEY (conversion_id)
);
CREATE INDEX conversions_by_uid ON conversions (uid, ts, conversion_id);

CREATE TABLE candles (
  category   text COLLATE "C" NOT NULL,
  symbol     text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  width      text COLLATE "C" NOT NULL,
  open_time  bigint NOT NULL,
  open       text NOT NULL,
  high       text NOT NULL,
  low        text NOT NULL,
  close      text NOT NULL,
  volume     text NOT NULL,
  turnover   text NOT NULL,
  checksum   bigint NOT NULL,
  PRIMARY KEY (category, symbol, type, width, open_time)
);

CREATE TABLE funding_rates (
  category      text COLLATE "C" NOT NULL,
  symbol        text COLLATE "C" NOT NULL,
  funding_time  bigint NOT NULL,
  funding_rate  text NOT NULL,
  checksum      bigint NOT NULL,
  PRIMARY KEY (category, symbol, funding_time)
);

CREATE TABLE insurance_hours (
  coin       text COLLATE "C" NOT NULL,
  hour_time  bigint NOT NULL,
  amount     text NOT NULL,
  balance    text NOT NULL,
  checksum   bigint NOT NULL,
  PRIMARY KEY (coin, hour_time)
);

CREATE TABLE closed_loans (
  order_id            bigint NOT NULL,
  borrow_time         bigint NOT NULL,
  uid                 bigint NOT NULL,
  loan_coin           text NOT NULL,
  pledge_coin         text NOT NULL,
  init_pledge_amount  text NOT NULL,
  init_loan_amount    text NOT NULL,
  hour_rate           text NOT NULL,
  pledge_days         text NOT NULL,
  daily               text NOT NULL,
  status              text NOT NULL,
  updated_time        bigint NOT NULL,
  checksum            bigint NOT NULL,
  PRIMARY KEY (order_id)
);
CREATE INDEX closed_loans_by_time ON closed_loans (uid, borrow_time, order_id);

CREATE TABLE loan_repayments (
  order_id             bigint NOT NULL,
  repay_time           bigint NOT NULL,
  uid                  bigint NOT NULL,
  repay_id             bigint NOT NULL,
  loan_coin            text NOT NULL,
  pledge_coin          text NOT NULL,
  repay_amount         text NOT NULL,
  pay_interest         text NOT NULL,
  repay_loan_amount    text NOT NULL,
  repay_unlock_amount  text NOT NULL,
  checksum             bigint NOT NULL,
  PRIMARY KEY (repay_id)
);
CREATE INDEX loan_repayments_by_time ON loan_repayments (uid, repay_time, repay_id);

CREATE TABLE pledge_revisions (
  order_id            bigint NOT NULL,
  revise_time         bigint NOT NULL,
  uid                 bigint NOT NULL,
  revise_id           bigint NOT NULL,
  loan_coin           text NOT NULL,
  pledge_coin         text NOT NULL,
  revise_side         text NOT NULL,
  revise_amount       text NOT NULL,
  after_pledge_rate   text NOT NULL,
  before_pledge_rate  text NOT NULL,
  checksum            bigint NOT NULL,
  PRIMARY KEY (revise_id)
);
CREATE INDEX pledge_revisions_by_time ON pledge_revisions (uid, revise_time, revise_id);

CREATE TABLE loan_reductions (
  order_id           bigint NOT NULL,
  reduce_time        bigint NOT NULL,
  uid                bigint NOT NULL,
  reduce_id          bigint NOT NULL,
  loan_coin          text NOT NULL,
  pledge_coin        text NOT NULL,
  pledge_rate        text NOT NULL,
  pledge_price       text NOT NULL,
  status             text NOT NULL,
  pledge_amount      text NOT NULL,
  reduce_fee         text NOT NULL,
  residue_amount     text NOT NULL,
  runlock_amount     text NOT NULL,
  repay_loan_amount  text NOT NULL,
  checksum           bigint NOT NULL,
  PRIMARY KEY (reduce_id)
);
CREATE INDEX loan_reductions_by_time ON loan_reductions (uid, reduce_time, reduce_id);

CREATE TABLE generated_candles (
  category            text COLLATE "C" NOT NULL,
  symbol              text COLLATE "C" NOT NULL,
  width               text COLLATE "C" NOT NULL,
  first_open          bigint NOT NULL,
  last_open           bigint NOT NULL,
  price_precision     bigint NOT NULL,
  quantity_precision  bigint NOT NULL,
  candles             bytea NOT NULL,
  checksum            bigint NOT NULL,
  PRIMARY KEY (category, symbol, width, first_open)
);

CREATE TABLE generated_funding_rates (
  category      text COLLATE "C" NOT NULL,
  symbol        text COLLATE "C" NOT NULL,
  funding_time  bigint NOT NULL,
  funding_rate  text NOT NULL,
  checksum      bigint NOT NULL,
  PRIMARY KEY (category, symbol, funding_time)
);

CREATE VIEW closed_orders_printed AS
  SELECT '1' || lpad(order_id::text, 18, '0') AS printed_order_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM closed_orders;
CREATE VIEW fills_printed AS
  SELECT '1' || lpad(exec_id::text, 18, '0') AS printed_exec_id, '1' || lpad(order_id::text, 18, '0') AS printed_order_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM fills;
CREATE VIEW ledger_lines_printed AS
  SELECT '1' || lpad(id::text, 18, '0') AS printed_id,
         to_char(to_timestamp(ts / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM ledger_lines;
CREATE VIEW transfers_printed AS
  SELECT '1' || lpad(transfer_id::text, 18, '0') AS printed_transfer_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM transfers;
CREATE VIEW wallet_records_printed AS
  SELECT '1' || lpad(order_id::text, 18, '0') AS printed_order_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM wallet_records;
CREATE VIEW closed_positions_printed AS
  SELECT '1' || lpad(position_id::text, 18, '0') AS printed_position_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM closed_positions;
CREATE VIEW conversions_printed AS
  SELECT '1' || lpad(conversion_id::text, 18, '0') AS printed_conversion_id,
         to_char(to_timestamp(ts / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM conversions;
CREATE VIEW strategy_orders_printed AS
  SELECT '1' || lpad(order_id::text, 18, '0') AS printed_order_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM strategy_orders;
CREATE VIEW position_moves_printed AS
  SELECT '1' || lpad(order_id::text, 18, '0') AS printed_order_id,
         to_char(to_timestamp(created_time / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS created_at, *
  FROM position_moves;

INSERT INTO totals (table_name) VALUES
  ('closed_orders'),
  ('strategy_orders'),
  ('closed_positions'),
  ('position_moves'),
  ('fills'),
  ('liquidations'),
  ('ledger_lines'),
  ('transfers'),
  ('wallet_records'),
  ('conversions'),
  ('candles'),
  ('funding_rates'),
  ('insurance_hours'),
  ('closed_loans'),
  ('loan_repayments'),
  ('pledge_revisions'),
  ('loan_reductions'),
  ('generated_candles'),
  ('generated_funding_rates');
