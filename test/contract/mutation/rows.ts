/**
 * What a row of the gateway's table can have wrong: a parameter that is no longer required, or required after all, that
 * takes any text or lacks one of its words; of the 23 endpoints, one that nobody heeds; and another permission. Each is a
 * change of the source, at the end of `routes.ts`.
 */
import { REQUIRED_PERMISSION_NAMES } from '../../../src/api/auth/permissions.ts';
import { ROUTES } from '../../../src/api/http/routes.ts';
import type { Route } from '../../../src/api/route.ts';
import { ENDPOINTS } from '../endpoints.ts';

export interface RowMutant {
  readonly title: string;
  /** What stands behind the table instead of its end. */
  readonly put: string;
  /** Which tests of the running exchange are to notice; without any, the tables do. */
  readonly tests?: string;
}

/** As far as a table of parameters is a JSON schema. */
interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

/** What the tests of trading know instruments from. */
const LISTED = 'instruments: each category';

/** The tests of the section that an endpoint stands in, by the beginning of its name. */
const SECTIONS: readonly (readonly [begins: string, tests: string])[] = [
  ['GET market/', 'interface 4 market/|4\\.1|interface 8'],
  ['GET trade/', `${LISTED}|interface 4 trade/|4\\.2|interface 8`],
  ['POST trade/', `${LISTED}|interface 4 trade/|4\\.3|interface 3`],
  ['GET position/', `${LISTED}|interface 4 position/|4\\.4`],
  ['POST account/', `${LISTED}|interface 4 account/|4\\.4`],
  ['GET loan/', 'interface 4 loan/|4\\.6'],
  ['POST broker/', 'interface 4 broker/|4\\.5'],
];

const nameOf = ({ method, path }: Route) => `${method} ${path.replace('/api/v3/', '')}`;
const isEndpoint = (row: Route) => nameOf(row) in ENDPOINTS;

/** The row with something else in it; `change` is an expression that knows `row`. */
const instead = ({ method, path }: Route, change: string) =>
  `].map((row) => (row.method === '${method}' && row.path === '${path}' ? { ...row, ${change} } : row));`;

export function accessMutants(): RowMutant[] {
  return ROUTES.filter(isEndpoint).flatMap((row) =>
    (['public', ...REQUIRED_PERMISSION_NAMES] as const)
      .filter((access) => access !== row.access)
      .map((access) => ({
        title: `${nameOf(row)} needs ${access}, not ${row.access}`,
        put: instead(row, `access: '${access}'`),
        tests: 'interface 5:',
      })),
  );
}

export function parameterMutants(): RowMutant[] {
  return ROUTES.flatMap((row) => (['query', 'body'] as const).flatMap((part) => mutantsOf(row, part)));
}

function mutantsOf(row: Route, part: 'query' | 'body'): RowMutant[] {
  const whole = row[part] as Schema | undefined;
  if (whole === undefined) return [];
  const batch = whole.type === 'array';
  const { properties = {}, required = [] } = batch ? whole.items! : whole;
  const schema = batch ? `row.${part}.items` : `row.${part}`;
  const withSchema = (change: string) => {
    const changed = `{ ...${schema}, ${change} }`;
    return instead(row, `${part}: ${batch ? `{ ...row.${part}, items: ${changed} }` : changed}`);
  };
  const endpoint = nameOf(row);
  const [, tests] = SECTIONS.find(([begins]) => endpoint.startsWith(begins)) ?? [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const mutant = (what: string, put: string) => ({ title: `${endpoint} ${name} ${what}`, put });
    const withProperty = (changed: string) =>
      withSchema(`properties: { ...${schema}.properties, ${name}: ${changed} }`);
    const words = property.enum ?? [];
    const made: RowMutant[] = words.map((word) => {
      const others = words.filter((other) => other !== word);
      return mutant(`does not take ${word}`, withProperty(`{ enum: ${JSON.stringify(others)} }`));
    });
    const anyText = mutant('takes any text', withProperty(`{ type: 'string' }`));
    if (words.length > 0) made.push(anyText);
    else if (property.pattern !== undefined && isEndpoint(row)) made.push({ ...anyText, tests: tests! });
    if (required.includes(name)) {
      const others = JSON.stringify(required.filter((other) => other !== name));
      made.push(mutant('is not required', withSchema(`required: ${others}`)));
    } else {
      made.push(mutant('is required', withSchema(`required: ${JSON.stringify([...required, name])}`)));
    }
    if (!required.includes(name) && isEndpoint(row)) {
      const without = `({ ${name}: _, ...rest }) => rest`;
      const heard = batch ? `call.${part}.map(${without})` : `(${without})(call.${part})`;
      const deaf = `handle: (call) => row.handle({ ...call, ${part}: ${heard} })`;
      made.push({ ...mutant('is not heeded', instead(row, deaf)), tests: tests! });
    }
    return made;
  });
}
