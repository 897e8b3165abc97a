CREATE TABLE insurance_hours (
  coin            TEXT NOT NULL,
  hour_time       INTEGER NOT NULL,
  amount          TEXT NOT NULL,
  balance         TEXT NOT NULL,
  PRIMARY KEY (coin, hour_time)
) STRICT, WITHOUT ROWID;
