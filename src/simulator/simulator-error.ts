/** Invalid input of the simulator: its file, a feed, or an exchange of a live feed. The message says what is wrong. */
export class SimulatorError extends Error {
  override name = 'MarketError';
}
