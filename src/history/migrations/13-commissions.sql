-- What of a fill's fee went to the broker of the account.
ALTER TABLE fills ADD COLUMN commission TEXT NOT NULL DEFAULT '0';
