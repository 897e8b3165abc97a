-- Number of the write-ahead log that the file belongs to (src/history/checkpoints.ts).
INSERT INTO meta (key, value) VALUES ('checkpoint', 0);
