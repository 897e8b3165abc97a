/**
 * Blocks of numbers in a few large arrays: what belongs together is adjacent, and thousands of owners do not have an array each,
 * whose head would be one more place to fetch.
 */
const PAGE = 1 << 16;
/** The first page is smaller, and each is twice the one before up to this size: most exchanges of tests are small. */
const FIRST_PAGE = 1 << 11;

export interface Block {
  /** The array that the block is in, and where it begins. */
  readonly numbers: Float64Array;
  readonly base: number;
}

export class NumberBlocks {
  private readonly pageSize: number;
  private nextSize: number;
  private page = new Float64Array(0);
  private used = 0;
  /** Given back, by size. */
  private readonly free = new Map<number, Block[]>();

  constructor(pageSize = PAGE) {
    this.pageSize = pageSize;
    this.nextSize = Math.min(FIRST_PAGE, pageSize);
  }

  /** A block of zeros. */
  take(size: number): Block {
    const again = this.free.get(size)?.pop();
    if (again !== undefined) return again;
    if (this.used + size > this.page.length) {
      this.page = new Float64Array(Math.max(this.nextSize, size));
      this.nextSize = Math.min(2 * this.nextSize, this.pageSize);
      this.used = 0;
    }
    const block = { numbers: this.page, base: this.used };
    this.used += size;
    return block;
  }

  giveBack(block: Block, size: number): void {
    block.numbers.fill(0, block.base, block.base + size);
    const free = this.free.get(size);
    if (free === undefined) this.free.set(size, [block]);
    else free.push(block);
  }
}
