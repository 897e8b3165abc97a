/**
 * What the interface has and the exchange does not yet. Checks of it are written and run as `todo`: they are printed,
 * and one that passes says that its row here can go.
 */
export const PENDING: Readonly<Record<string, string>> = {
  'retail trades': 'nobody trades as retail yet, so no fill is an RPI fill',
};

/** Options of a test that needs this. */
export function needs(what: string): { todo?: string } {
  const reason = PENDING[what];
  return reason === undefined ? {} : { todo: reason };
}

export function isServed(path: string): boolean {
  return PENDING[path] === undefined;
}
