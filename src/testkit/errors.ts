/** A call that the exchange has refused, with its code. */
export class BourseError extends Error {
  override name = 'BourseError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${message} (${code})`);
    this.code = code;
  }
}
