-- The generated past is in a file of its own (`generated-file.ts`); its rows have been moved there before.

DROP TABLE generated_candles;
DROP TABLE generated_funding_rates;
DELETE FROM totals WHERE table_name IN ('generated_candles', 'generated_funding_rates');
