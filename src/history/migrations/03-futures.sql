-- Funding rates and liquidations belong to markets, not to users.

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
