-- A made-up past, apart from what happened: `candles` is an archive as packed by `generated-candles.ts`.

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
