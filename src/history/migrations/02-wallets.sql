-- A wallet is the first word of every page of lines, so the old indexes would be walked in vain.

ALTER TABLE ledger_lines ADD COLUMN wallet TEXT NOT NULL DEFAULT 'uta';
DROP INDEX ledger_lines_by_category;
DROP INDEX ledger_lines_by_coin;
CREATE INDEX ledger_lines_by_category ON ledger_lines (uid, wallet, category, ts);
CREATE INDEX ledger_lines_by_coin ON ledger_lines (uid, wallet, coin, ts);

CREATE TABLE transfers (
  transfer_id     INTEGER PRIMARY KEY,
  initiator_uid   INTEGER NOT NULL,
  from_user_id    INTEGER NOT NULL,
  to_user_id      INTEGER NOT NULL,
  from_type       TEXT NOT NULL,
  to_type         TEXT NOT NULL,
  coin            TEXT NOT NULL,
  amount          TEXT NOT NULL,
  client_oid      TEXT NOT NULL,
  created_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX transfers_by_initiator ON transfers (initiator_uid, created_time);
CREATE INDEX transfers_by_sender ON transfers (from_user_id, created_time);
CREATE INDEX transfers_by_receiver ON transfers (to_user_id, created_time);

CREATE TABLE wallet_records (
  order_id        INTEGER PRIMARY KEY,
  uid             INTEGER NOT NULL,
  record_id       TEXT NOT NULL,
  client_oid      TEXT NOT NULL,
  coin            TEXT NOT NULL,
  type            TEXT NOT NULL,
  dest            TEXT NOT NULL,
  size            TEXT NOT NULL,
  status          TEXT NOT NULL,
  from_address    TEXT NOT NULL,
  to_address      TEXT NOT NULL,
  chain           TEXT NOT NULL,
  fee             TEXT NOT NULL,
  tag             TEXT NOT NULL,
  reference       TEXT NOT NULL,
  created_time    INTEGER NOT NULL,
  updated_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_records_by_type ON wallet_records (uid, type, created_time);
CREATE INDEX wallet_records_by_coin ON wallet_records (uid, type, coin, created_time);
CREATE INDEX wallet_records_by_client_oid ON wallet_records (uid, type, client_oid, created_time);

CREATE VIEW transfers_printed AS
  SELECT printf('1%018d', transfer_id) AS printed_transfer_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM transfers;
CREATE VIEW wallet_records_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM wallet_records;
