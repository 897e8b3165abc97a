/** Faults and scenarios as a test asks for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultHandle, Report, Scenario } from './interface.ts';
import { jsonCall } from './json-call.ts';
import type { Operator } from './operator.ts';

const LOOK_MS = 10;

interface FaultView {
  readonly id: string;
  readonly hits: number;
  readonly over: boolean;
  readonly problem: string | null;
}

export async function addFault(operator: Operator, rule: Fault): Promise<FaultHandle> {
  const { id } = await operator.post<FaultView>('/lab/faults', rule);
  return {
    id,
    get hits() {
      return viewOf(operator, id).then(({ hits }) => hits);
    },
    get problem() {
      return viewOf(operator, id).then(({ problem }) => problem ?? undefined);
    },
    remove: async () => {
      await operator.delete(`/lab/faults/${id}`);
    },
  };
}

export async function runScenario(operator: Operator, scenario: Scenario | string): Promise<Report> {
  const document = typeof scenario === 'string' ? await loaded(scenario) : scenario;
  return operator.post<Report>('/lab/scenarios', { document });
}

/** In this process: a module of a test runs its code here. */
async function loaded(file: string): Promise<object> {
  const { scenarioOf } = await import('../app/start/scenario-world.ts');
  return scenarioOf(file);
}

/** Resolves when the exchange answers again. */
export async function outage(operator: Operator, url: string, seconds: number, how: string): Promise<void> {
  const { id } = await operator.post<FaultView>('/lab/faults', { do: { outage: seconds, how } });
  await sleep(seconds * 1000);
  const isUp = () =>
    jsonCall(`${url}/api/v3/public/time`, 'GET', {}).then(
      () => true,
      () => false,
    );
  // It goes down when the request for it has been answered.
  for (let down = false, up = false; !up; ) {
    await sleep(LOOK_MS);
    const view = await viewOf(operator, id).catch(() => undefined);
    down ||= view === undefined || !(await isUp());
    up = view !== undefined && (await isUp()) && (down || view.over);
  }
  await operator.delete(`/lab/faults/${id}`);
}

async function viewOf(operator: Operator, id: string): Promise<FaultView> {
  const { faults } = await operator.get<{ faults: readonly FaultView[] }>('/lab/faults');
  const found = faults.find((fault) => fault.id === id);
  if (found === undefined) throw new TypeError(`the fault ${id} is no longer there`);
  return found;
}
