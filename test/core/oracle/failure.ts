/** How an audit says that something is wrong. */
export class AuditFailure extends Error {
  override name = 'AuditFailure';
}

export function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new AuditFailure(message());
}
