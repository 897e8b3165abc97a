/** Objects by slot, for fields that few orders have: an array in pages, so that it grows without being copied. */
import { slotNumber } from './order-columns.ts';

const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;

export class SlotTable<T extends object> {
  private readonly pages: ((T | undefined)[] | undefined)[] = [];

  has(slot: number): boolean {
    return this.get(slot) !== undefined;
  }

  get(slot: number): T | undefined {
    const number = slotNumber(slot);
    return this.pages[number >> PAGE_BITS]?.[number & PAGE_MASK];
  }

  set(slot: number, value: T): void {
    const number = slotNumber(slot);
    (this.pages[number >> PAGE_BITS] ?? this.openPage(number >> PAGE_BITS))[number & PAGE_MASK] = value;
  }

  delete(slot: number): void {
    const number = slotNumber(slot);
    const page = this.pages[number >> PAGE_BITS];
    if (page !== undefined) page[number & PAGE_MASK] = undefined;
  }

  private openPage(number: number): (T | undefined)[] {
    while (this.pages.length <= number) this.pages.push(undefined);
    const page = new Array<T | undefined>(PAGE_SIZE).fill(undefined);
    this.pages[number] = page;
    return page;
  }
}
