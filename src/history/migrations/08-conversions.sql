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
) STRICT;
CREATE INDEX conversions_by_uid ON conversions (uid, ts);

CREATE VIEW conversions_printed AS
  SELECT printf('1%018d', conversion_id) AS printed_conversion_id,
         strftime('%Y-%m-%d %H:%M:%f', ts / 1000.0, 'unixepoch') AS created_at, *
  FROM conversions;
