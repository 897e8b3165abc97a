/** `/readyz` for tests: what it says of how busy the machine is does not count. */
interface Readiness {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}

const OF_THE_MACHINE: ReadonlySet<string> = new Set(['event loop', 'log queue']);

export async function failingChecks(url: string): Promise<Readiness['checks']> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as Readiness;
  return checks.filter(({ name, ok }) => !ok && !OF_THE_MACHINE.has(name));
}
