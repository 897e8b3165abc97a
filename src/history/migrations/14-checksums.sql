-- Every row has the checksum of its values (`checksum.ts`). Rows of older programs have none until the history's thread
-- gets to them; `every_row_has_checksum` becomes 1 then.

ALTER TABLE meta ADD COLUMN checksum INTEGER;
ALTER TABLE closed_orders ADD COLUMN checksum INTEGER;
ALTER TABLE fills ADD COLUMN checksum INTEGER;
ALTER TABLE strategy_orders ADD COLUMN checksum INTEGER;
ALTER TABLE closed_positions ADD COLUMN checksum INTEGER;
ALTER TABLE position_moves ADD COLUMN checksum INTEGER;
ALTER TABLE ledger_lines ADD COLUMN checksum INTEGER;
ALTER TABLE transfers ADD COLUMN checksum INTEGER;
ALTER TABLE wallet_records ADD COLUMN checksum INTEGER;
ALTER TABLE conversions ADD COLUMN checksum INTEGER;
ALTER TABLE candles ADD COLUMN checksum INTEGER;
ALTER TABLE funding_rates ADD COLUMN checksum INTEGER;
ALTER TABLE insurance_hours ADD COLUMN checksum INTEGER;
ALTER TABLE liquidations ADD COLUMN checksum INTEGER;
ALTER TABLE generated_candles ADD COLUMN checksum INTEGER;
ALTER TABLE generated_funding_rates ADD COLUMN checksum INTEGER;
ALTER TABLE closed_loans ADD COLUMN checksum INTEGER;
ALTER TABLE loan_repayments ADD COLUMN checksum INTEGER;
ALTER TABLE pledge_revisions ADD COLUMN checksum INTEGER;
ALTER TABLE loan_reductions ADD COLUMN checksum INTEGER;

-- How many rows of a table have a checksum, and the sum of these checksums: so that a row that is gone shows.
CREATE TABLE totals (
  table_name      TEXT NOT NULL PRIMARY KEY,
  rows            INTEGER NOT NULL,
  checksums       INTEGER NOT NULL,
  checksum        INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('every_row_has_checksum', 0), ('complete_since', 0);
