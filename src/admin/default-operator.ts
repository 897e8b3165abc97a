import { userInfo } from 'node:os';

/** The user of the operating system, with characters that an operator's name may not have removed. */
export function defaultOperator(): string {
  try {
    return (
      userInfo()
        .username.replace(/[^A-Za-z0-9._@-]/g, '_')
        .slice(0, 64) || 'operator'
    );
  } catch {
    // A user id without a name, as in containers.
    return 'operator';
  }
}
