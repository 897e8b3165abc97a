/**
 * How journal and audit log refer to each other: a command's `by` is the operator's name and the audit line that
 * announced it, `alice#3f9a12cd.17`. Names contain no `#`.
 */
export const OPERATOR_NAME = /^[A-Za-z0-9._@-]{1,64}$/;

export interface AuditReference {
  readonly operator: string;
  readonly chain: string;
  readonly line: number;
}

const AUDIT_REFERENCE = /^([A-Za-z0-9._@-]{1,64})#([0-9a-f]{8})\.(\d{1,15})$/;

export function formatAuditReference({ operator, chain, line }: AuditReference): string {
  return `${operator}#${chain}.${line}`;
}

/** Undefined for commands without an operator. */
export function readAuditReference(command: object): AuditReference | undefined {
  const by = 'by' in command && typeof command.by === 'string' ? command.by : '';
  const [, operator, chain, line] = AUDIT_REFERENCE.exec(by) ?? [];
  if (operator === undefined) return undefined;
  return { operator, chain: chain!, line: Number(line) };
}
