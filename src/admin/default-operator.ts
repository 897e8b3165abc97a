import { userInfo } from 'node:os';

/** The user of the operating system, as far as an operator's name allows its letters. */
export function defaultOperator(): string {
  try {
    return (
      userInfo()
        .username.replace(/[^A-Za-z0-9._@-]/g, '_')
        .slice(0, 64) || 'operator'
    );
  } catch {
    // A user id without a name, as containers have it.
    return 'operator';
  }
}
