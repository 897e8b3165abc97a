/** What was given for the market cannot be used: its file, a feed or the venue of one. The message says what is wrong. */
export class SimulatorError extends Error {
  override name = 'MarketError';
}
