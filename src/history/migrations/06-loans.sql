-- Of loans only those that have ended; the others are in the state.

CREATE TABLE closed_loans (
  order_id            INTEGER PRIMARY KEY,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  init_pledge_amount  TEXT NOT NULL,
  init_loan_amount    TEXT NOT NULL,
  hour_rate           TEXT NOT NULL,
  pledge_days         TEXT NOT NULL,
  daily               TEXT NOT NULL,
  status              TEXT NOT NULL,
  borrow_time         INTEGER NOT NULL,
  updated_time        INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_loans_by_time ON closed_loans (uid, borrow_time);

CREATE TABLE loan_repayments (
  repay_id            INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  repay_amount        TEXT NOT NULL,
  pay_interest        TEXT NOT NULL,
  repay_loan_amount   TEXT NOT NULL,
  repay_unlock_amount TEXT NOT NULL,
  repay_time          INTEGER NOT NULL
) STRICT;
CREATE INDEX loan_repayments_by_time ON loan_repayments (uid, repay_time);

CREATE TABLE pledge_revisions (
  revise_id           INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  revise_side         TEXT NOT NULL,
  revise_amount       TEXT NOT NULL,
  after_pledge_rate   TEXT NOT NULL,
  before_pledge_rate  TEXT NOT NULL,
  revise_time         INTEGER NOT NULL
) STRICT;
CREATE INDEX pledge_revisions_by_time ON pledge_revisions (uid, revise_time);

CREATE TABLE loan_reductions (
  reduce_id           INTEGER PRIMARY KEY,
  order_id            INTEGER NOT NULL,
  uid                 INTEGER NOT NULL,
  loan_coin           TEXT NOT NULL,
  pledge_coin         TEXT NOT NULL,
  pledge_rate         TEXT NOT NULL,
  pledge_price        TEXT NOT NULL,
  status              TEXT NOT NULL,
  pledge_amount       TEXT NOT NULL,
  reduce_fee          TEXT NOT NULL,
  residue_amount      TEXT NOT NULL,
  runlock_amount      TEXT NOT NULL,
  repay_loan_amount   TEXT NOT NULL,
  reduce_time         INTEGER NOT NULL
) STRICT;
CREATE INDEX loan_reductions_by_time ON loan_reductions (uid, reduce_time);
