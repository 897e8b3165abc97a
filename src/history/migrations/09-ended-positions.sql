-- Positions are looked for by when they ended.

DROP INDEX closed_positions_by_category;
DROP INDEX closed_positions_by_symbol;
CREATE INDEX closed_positions_by_category ON closed_positions (uid, category, updated_time, position_id);
CREATE INDEX closed_positions_by_symbol ON closed_positions (uid, category, symbol, updated_time, position_id);
