/** Short texts of one byte a character in records of one size, in pages that never move; freed records are used again. */
const PAGE_BITS = 12;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
const NONE = -1;

export class RecordPages {
  private readonly size: number;
  private readonly pages: Uint8Array[] = [];
  private used = 0;
  /** Freed records, each with the number of the next in its bytes. */
  private freed = NONE;

  /** A text may have one character less. */
  constructor(size: number) {
    this.size = size;
  }

  /** Returns the number of its record. */
  add(text: string): number {
    const record = this.take();
    const page = this.pages[record >> PAGE_BITS]!;
    let at = (record & PAGE_MASK) * this.size;
    page[at] = text.length;
    for (let n = 0; n < text.length; n++) page[++at] = text.charCodeAt(n);
    return record;
  }

  text(record: number): string {
    const page = this.pages[record >> PAGE_BITS]!;
    const at = (record & PAGE_MASK) * this.size;
    return String.fromCharCode.apply(null, page.subarray(at + 1, at + 1 + page[at]!) as unknown as number[]);
  }

  is(record: number, text: string): boolean {
    const page = this.pages[record >> PAGE_BITS]!;
    let at = (record & PAGE_MASK) * this.size;
    if (page[at] !== text.length) return false;
    for (let n = 0; n < text.length; n++) if (page[++at] !== text.charCodeAt(n)) return false;
    return true;
  }

  free(record: number): void {
    const page = this.pages[record >> PAGE_BITS]!;
    const at = (record & PAGE_MASK) * this.size;
    for (let n = 0; n < 4; n++) page[at + n] = this.freed >>> (8 * n);
    this.freed = record;
  }

  private take(): number {
    const record = this.freed;
    if (record === NONE) {
      if (this.used >> PAGE_BITS === this.pages.length)
        this.pages.push(new Uint8Array((PAGE_MASK + 1) * this.size));
      return this.used++;
    }
    const page = this.pages[record >> PAGE_BITS]!;
    const at = (record & PAGE_MASK) * this.size;
    this.freed = page[at]! | (page[at + 1]! << 8) | (page[at + 2]! << 16) | (page[at + 3]! << 24);
    return record;
  }
}
