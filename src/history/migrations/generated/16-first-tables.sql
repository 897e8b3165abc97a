-- The file of the generated past, numbered like the schema of the history that it came with.

CREATE TABLE meta (
  key       TEXT PRIMARY KEY,
  value     INTEGER NOT NULL,
  checksum  INTEGER
) STRICT;

CREATE TABLE totals (
  table_name      TEXT NOT NULL PRIMARY KEY,
  rows            INTEGER NOT NULL,
  checksums       INTEGER NOT NULL,
  checksum        INTEGER
) STRICT, WITHOUT ROWID;

-- `candles` is an archive as packed by `generated-candles.ts`.
CREATE TABLE generated_candles (
  category            TEXT NOT NULL,
  symbol              TEXT NOT NULL,
  width               TEXT NOT NULL,
  first_open          INTEGER NOT NULL,
  last_open           INTEGER NOT NULL,
  price_precision     INTEGER NOT NULL,
  quantity_precision  INTEGER NOT NULL,
  candles             BLOB NOT NULL,
  checksum            INTEGER,
  PRIMARY KEY (category, symbol, width, first_open)
) STRICT;

CREATE TABLE generated_funding_rates (
  category      TEXT NOT NULL,
  symbol        TEXT NOT NULL,
  funding_time  INTEGER NOT NULL,
  funding_rate  TEXT NOT NULL,
  checksum      INTEGER,
  PRIMARY KEY (category, symbol, funding_time)
) STRICT, WITHOUT ROWID;
