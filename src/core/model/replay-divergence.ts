/** A replay came to other outcomes than the run that wrote the log. */
export class ReplayDivergence extends Error {
  override name = 'Diverged';
}
