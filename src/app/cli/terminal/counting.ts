/** Numbers as people read them: `1,204` and `1,204 orders`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
