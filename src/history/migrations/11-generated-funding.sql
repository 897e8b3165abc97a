-- Made-up funding rates from before the exchange began, apart from what was settled.

CREATE TABLE generated_funding_rates (
  category      TEXT NOT NULL,
  symbol        TEXT NOT NULL,
  funding_time  INTEGER NOT NULL,
  funding_rate  TEXT NOT NULL,
  PRIMARY KEY (category, symbol, funding_time)
) STRICT, WITHOUT ROWID;
