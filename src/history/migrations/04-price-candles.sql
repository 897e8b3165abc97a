-- Candles of mark, index and premium stand beside those of trades.

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
