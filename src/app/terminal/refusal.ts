/** How a failed command ends: one line on stderr and the exit code of its error. */
import { ActionRefused, ExitCode, exitCodeOf } from '../exit-codes.ts';

export function refuse(error: unknown): never {
  const { code, line } = refusalOf(error);
  process.stderr.write(line);
  process.exit(code);
}

/** Expected errors are printed as one line; unexpected ones with their stack. */
export function refusalOf(error: unknown): { readonly code: ExitCode; readonly line: string } {
  const code = exitCodeOf(error);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const foreseen = code !== ExitCode.failed || error instanceof ActionRefused;
  return { code, line: `bourse: ${foreseen ? message : (stack ?? message)}\n` };
}
