/** A bounded set of recent client ids; the oldest are removed first. */
export class RecentClientIds {
  private readonly limit: number;
  /** A set keeps the order of insertion. */
  private readonly known = new Set<string>();

  constructor(limit: number) {
    this.limit = limit;
  }

  has(oid: string): boolean {
    return this.known.has(oid);
  }

  remember(oid: string): void {
    this.known.add(oid);
    if (this.known.size <= this.limit) return;
    const oldest = this.known.values().next();
    if (!oldest.done) this.known.delete(oldest.value);
  }

  recent(): string[] {
    return [...this.known];
  }
}
