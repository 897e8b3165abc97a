CREATE TABLE position_moves (
  order_id        INTEGER PRIMARY KEY,
  master_uid      INTEGER NOT NULL,
  from_uid        INTEGER NOT NULL,
  to_uid          INTEGER NOT NULL,
  open_order_id   INTEGER NOT NULL,
  category        TEXT NOT NULL,
  open_exec_id    TEXT NOT NULL,
  close_exec_id   TEXT NOT NULL,
  symbol          TEXT NOT NULL,
  pos_side        TEXT NOT NULL,
  qty             TEXT NOT NULL,
  price           TEXT NOT NULL,
  created_time    INTEGER NOT NULL
) STRICT;
CREATE INDEX position_moves_by_category ON position_moves (master_uid, category, created_time);
CREATE INDEX position_moves_by_symbol ON position_moves (master_uid, category, symbol, created_time);

CREATE VIEW position_moves_printed AS
  SELECT printf('1%018d', order_id) AS printed_order_id,
         strftime('%Y-%m-%d %H:%M:%f', created_time / 1000.0, 'unixepoch') AS created_at, *
  FROM position_moves;
