/** Numbers as people read them, `1,204` and `1,204 orders`, and rows of text as aligned columns. */
export function count(value: number): string {
  // Not `toLocaleString`, whose first call costs as much as the start of Node.
  const [whole, part] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole!.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Columns are two spaces apart; right-aligned columns suit numbers. */
export function textTable(
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        rightAligned.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}
