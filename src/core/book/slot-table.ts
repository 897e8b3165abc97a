/** Objects by slot, for fields that few orders have: an array in pages, so that it grows without being copied. */
const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;

export class SlotTable<T extends object> {
  private readonly pages: ((T | undefined)[] | undefined)[] = [];

  has(slot: number): boolean {
    return this.get(slot) !== undefined;
  }

  get(slot: number): T | undefined {
    return this.pages[slot >> PAGE_BITS]?.[slot & PAGE_MASK];
  }

  set(slot: number, value: T): void {
    (this.pages[slot >> PAGE_BITS] ?? this.openPage(slot >> PAGE_BITS))[slot & PAGE_MASK] = value;
  }

  delete(slot: number): void {
    const page = this.pages[slot >> PAGE_BITS];
    if (page !== undefined) page[slot & PAGE_MASK] = undefined;
  }

  private openPage(number: number): (T | undefined)[] {
    while (this.pages.length <= number) this.pages.push(undefined);
    const page = new Array<T | undefined>(PAGE_SIZE).fill(undefined);
    this.pages[number] = page;
    return page;
  }
}
