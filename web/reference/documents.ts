/** The two documents of the interface, read into what the page shows. */
import type { Schema } from './schema.ts';

export interface Operation {
  readonly id: string;
  readonly slug: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly permission: string;
  readonly limit: { readonly perSecond: number; readonly per: 'IP' | 'UID'; readonly quota?: boolean };
  /** Does it change something? Such a call is asked about before it is tried. */
  readonly changes: boolean;
  readonly isPrivate: boolean;
  readonly codes: readonly string[];
  readonly query: Schema | undefined;
  readonly body: Schema | undefined;
  readonly answer: Schema;
}

export type Again = 'corrected' | 'later' | 'asked';

export interface ErrorEntry {
  readonly code: string;
  readonly means: string;
  readonly status: number;
  readonly classic?: string;
  readonly again: Again;
}

export interface Message {
  /** As the document has it: `push-ticker`. */
  readonly name: string;
  readonly slug: string;
  readonly summary: string;
  readonly payload: Schema;
  /** Seen from the exchange: it receives what a client sends. */
  readonly direction: 'receive' | 'send';
  readonly addresses: readonly string[];
}

export interface SocketError {
  readonly code: string;
  readonly means: string;
  readonly closes: boolean;
}

export interface Interface {
  readonly introduction: string;
  readonly version: string;
  readonly groups: readonly string[];
  readonly operations: readonly Operation[];
  readonly errors: readonly ErrorEntry[];
}

export interface Streams {
  readonly introduction: string;
  readonly addresses: readonly (readonly [role: string, address: string])[];
  readonly messages: readonly Message[];
  readonly errors: readonly SocketError[];
}

type Described = { readonly content: { readonly 'application/json': { readonly schema: Schema } } };

interface OpenApi {
  readonly info: { readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly 'x-errors': Readonly<Record<string, Omit<ErrorEntry, 'code'>>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Described;
  readonly responses: { readonly 200: Described };
  readonly 'x-permission': string;
  readonly 'x-limit': Operation['limit'];
  readonly 'x-changes': boolean;
  readonly 'x-codes': readonly string[];
}

/** Parameters as one object, so that a query and a body are the same to everything behind. */
function queryOf({ parameters }: OpenApiOperation): Schema | undefined {
  if (parameters === undefined) return undefined;
  return {
    type: 'object',
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    ),
  };
}

const jsonOf = (described: Described): Schema => described.content['application/json'].schema;

export function readOpenApi(document: OpenApi): Interface {
  const slugs = new Set<string>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): Operation => {
      const place = path.replace(/^\/api\/(?:v3\/)?/, '');
      // The second method of a path is told apart.
      const slug = slugs.has(place) ? `${place}/${verb}` : place;
      slugs.add(slug);
      return {
        id: operation.operationId,
        slug,
        method: verb.toUpperCase() as Operation['method'],
        path,
        group: operation.tags[0],
        summary: operation.summary,
        permission: operation['x-permission'],
        limit: operation['x-limit'],
        changes: operation['x-changes'],
        isPrivate: operation.security.length > 0,
        codes: operation['x-codes'],
        query: queryOf(operation),
        body: operation.requestBody && jsonOf(operation.requestBody),
        answer: jsonOf(operation.responses[200]),
      };
    }),
  );
  return {
    introduction: document.info.description,
    version: document.info.version,
    groups: [...new Set(operations.map(({ group }) => group))],
    operations,
    errors: Object.entries(document['x-errors'])
      .map(([code, entry]) => ({ code, ...entry }))
      .sort((a, b) => Number(a.code) - Number(b.code)),
  };
}

interface AsyncApi {
  readonly info: { readonly description: string };
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, unknown>> }>
  >;
  readonly operations: Readonly<
    Record<
      string,
      { readonly action: Message['direction']; readonly messages: readonly { readonly $ref: string }[] }
    >
  >;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly summary: string; readonly payload: Schema }>>;
  };
  readonly 'x-errors': Readonly<Record<string, Omit<SocketError, 'code'>>>;
}

export function readAsyncApi(document: AsyncApi): Streams {
  const channels = Object.entries(document.channels);
  const received = new Set(
    Object.values(document.operations)
      .filter(({ action }) => action === 'receive')
      .flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1)!)),
  );
  return {
    introduction: document.info.description,
    addresses: channels.map(([role, { address }]) => [role, address]),
    messages: Object.entries(document.components.messages).map(([name, { summary, payload }]) => ({
      name,
      slug: name.replace(/^push-/, ''),
      summary,
      payload,
      direction: received.has(name) ? 'receive' : 'send',
      addresses: channels.filter(([, { messages }]) => name in messages).map(([, { address }]) => address),
    })),
    errors: Object.entries(document['x-errors']).map(([code, entry]) => ({ code, ...entry })),
  };
}

/** When a refused request may be sent again, in words. */
export const AGAIN: Readonly<Record<Again, readonly [short: string, text: string]>> = {
  corrected: [
    'after a correction',
    'Nothing was changed. The same request would be refused again: put right what the message names, then send it.',
  ],
  later: ['yes, later', 'Nothing was changed. The same request may succeed later; sending it again is safe.'],
  asked: [
    'ask first',
    'The outcome is unknown: it may have been done. Ask for the order by its clientOid before you send it again.',
  ],
};
