/** A replay came to other results than the run that wrote the log. */
export class ReplayDivergence extends Error {
  override name = 'Diverged';
}
