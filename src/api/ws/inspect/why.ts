/**
 * Why a request was refused: the steps that it passed in their order, the one that stopped it, and there the value, the
 * bound and what would be right. The exchange's own refusals come with the message of the core, whose last step this
 * is; what the core weighed is not known here.
 */
import type { KeyDirectory } from '../../../identity/identity.ts';
import { fieldsOf, itemsOf, parsed, textOf, verdictOf } from '../../../inspector/entry-summary.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import { TIMESTAMP_WINDOW_MS } from '../../auth/authenticate.ts';
import { accessText } from '../../auth/permissions.ts';
import { ROUTES } from '../../http/routes.ts';
import type { Route } from '../../route.ts';
import { CATALOGUE, entryOf, type WireCode } from '../../wire/error-catalogue.ts';
import { REMEDIES } from './remedies.ts';

/** In the order in which a request passes them. */
export const STEPS = [
  'path',
  'key',
  'time',
  'signature',
  'passphrase',
  'address',
  'account',
  'permission',
  'limit',
  'parameters',
  'exchange',
] as const;
export type StepName = (typeof STEPS)[number];

export interface Step {
  readonly name: StepName;
  readonly verdict: 'ok' | 'no' | 'not reached';
}

export interface Why {
  readonly steps: readonly Step[];
  /** What the code means; empty without a refusal. */
  readonly means: string;
  readonly value: string;
  readonly bound: string;
  readonly right: string;
  /** Was it the core that refused? */
  readonly core: boolean;
  /** Is it safe to send it again as it is? */
  readonly again: string;
}

interface Refusal {
  readonly entry: Entry;
  readonly msg: string;
  readonly route: Route | undefined;
  readonly keys: KeyDirectory;
}

interface Rule {
  readonly step: StepName;
  readonly value: (refusal: Refusal) => string;
  readonly bound: (refusal: Refusal) => string;
  readonly right: (refusal: Refusal) => string;
}

const PASTED = 'send the header once, with nothing but its value';

function headerRule(step: StepName, header: string, holds: string): Rule {
  return {
    step,
    value: ({ msg }) => (msg.includes('times') ? `${header} came more than once` : `${header} is not there`),
    bound: () => `${header} exactly once: ${holds}`,
    right: () => PASTED,
  };
}

const PARAMETERS: Rule = {
  step: 'parameters',
  value: parameterValue,
  bound: ({ msg }) => msg.replace(/^(?:parameter \S+|the body) /, ''),
  right: ({ msg, route }) => {
    const [, name] = /^parameter (\S+)/.exec(msg) ?? [];
    const all = route === undefined ? '' : `; the parameters are ${parameterNames(route).join(', ')}`;
    return name === undefined
      ? `${msg}${all}`
      : `change ${name} so that it ${PARAMETERS.bound({ msg } as Refusal)}`;
  },
};

const FROZEN: Rule = {
  step: 'account',
  value: ({ entry }) => `account ${entry.uid} is frozen`,
  bound: () => 'an account that is not frozen, under a main account that is not frozen',
  right: ({ msg }) => msg,
};

const PERMISSION: Rule = {
  step: 'permission',
  value: keyRights,
  bound: ({ route }) => (route === undefined ? '' : accessText(route.access)),
  right: ({ route }) =>
    `use a key with ${route === undefined ? 'the permission' : accessText(route.access)}, or let the account's owner change this one`,
};

/** Refusals before the core, by code. */
export const RULES = {
  '40404': {
    step: 'path',
    value: ({ entry }) => `${entry.method} ${entry.target.split('?', 1)[0]}`,
    bound: () => 'a call that /docs lists',
    right: ({ msg }) => msg.split('; ').slice(1).join('; '),
  },
  '40001': headerRule('key', 'ACCESS-KEY', 'the API key'),
  '40003': headerRule('key', 'ACCESS-SIGN', 'the signature in Base64'),
  '40011': headerRule('key', 'ACCESS-PASSPHRASE', 'the passphrase of the key'),
  '40037': {
    step: 'key',
    value: ({ entry }) => `key ${entry.apiKey}`,
    bound: () => 'a key that exists',
    right: () => 'check for a typing error or a deleted key',
  },
  '40005': {
    step: 'time',
    value: ({ entry }) => (entry.timestamp === '' ? 'no ACCESS-TIMESTAMP' : entry.timestamp),
    bound: () => 'Unix time in milliseconds, digits only',
    right: ({ entry }) => `such as ${Math.round(entry.atMs)}`,
  },
  '40008': {
    step: 'time',
    // The message has the figure, of sockets too.
    value: ({ entry, msg }) => `${entry.timestamp === '' ? '' : `${entry.timestamp}: `}${msg.split(';')[0]!}`,
    bound: () => `at most ${TIMESTAMP_WINDOW_MS / 1_000} s off, either way`,
    right: ({ entry, msg }) => {
      if (msg.includes('received before')) return 'sign again with the present time';
      if (msg.includes('looks like seconds'))
        return `send milliseconds, such as ${Math.round(entry.atMs)}: these are seconds`;
      return `sign with the time of /api/v3/public/time, then about ${Math.round(entry.atMs)}, or set this computer's clock`;
    },
  },
  '40009': {
    step: 'signature',
    value: ({ entry }) => entry.finding?.text ?? 'the signature is not that of this request',
    bound: ({ msg }) => msg.split('; ').at(-1)!,
    right: ({ entry }) =>
      entry.kind === 'ws'
        ? 'sign timestamp + GET + /user/verify, with the timestamp as it is sent and the secret of this key'
        : 'sign the text that is shown as signed, with the secret of this key',
  },
  '40012': {
    step: 'passphrase',
    value: () => 'the passphrase is another',
    bound: () => 'the one that was set when the key was created; it is not the password of a person',
    right: () => 'send that, or create a new key',
  },
  '40018': {
    step: 'address',
    value: ({ entry }) => entry.peer,
    bound: ({ entry, keys }) => keys.findKey(entry.apiKey)?.key.ipList.join(', ') ?? '',
    right: () => 'call from one of these, or add the address to the list of the key',
  },
  '40031': FROZEN,
  '40068': FROZEN,
  '40014': PERMISSION,
  '40029': PERMISSION,
  '25620': { ...PERMISSION, right: ({ msg }) => `${msg}; its broker grants it (broker/modify-sub)` },
  '429': {
    step: 'limit',
    value: ({ msg }) => msg.split(':', 1)[0]!,
    bound: ({ route }) =>
      route === undefined
        ? ''
        : `${route.perSecond} a second per ${route.access === 'public' ? 'IP' : 'account, all its keys and sockets together'}`,
    right: ({ msg }) =>
      (/try again in .*/.exec(msg)?.[0] ?? 'send less often').replace('try', 'wait and try'),
  },
  '40007': {
    step: 'parameters',
    value: ({ msg }) => msg,
    bound: () => 'Content-Type: application/json, not compressed',
    right: () => 'send the body as plain JSON with that header',
  },
  '40017': PARAMETERS,
  '40019': PARAMETERS,
  '40020': PARAMETERS,
  '40306': PARAMETERS,
} as const satisfies Readonly<Record<string, Rule>>;

/** Codes of sockets that say the same as one of HTTP. */
const SOCKET_CODES: Readonly<Record<string, string>> = {
  '30011': '40037',
  '30012': '40012',
  '30013': '40005',
  '30014': '40008',
  '30015': '40009',
};

interface ControlRule {
  readonly step: StepName;
  readonly means: string;
  readonly right: string;
}

/** The other codes of sockets; their messages have value and bound. */
export const CONTROL_RULES: Readonly<Record<string, ControlRule>> = {
  '30001': {
    step: 'parameters',
    means: 'there is no such topic here',
    right: 'take topic and instType from /docs, and private topics from /v3/ws/private',
  },
  '30002': { step: 'parameters', means: 'the message cannot be read', right: 'send a JSON object as text' },
  '30003': {
    step: 'parameters',
    means: 'there is no such operation',
    right: 'send login, subscribe, unsubscribe or trade as op',
  },
  '30004': { step: 'key', means: 'this needs a login', right: 'log in, and wait for its answer' },
  '30005': {
    step: 'key',
    means: 'the login failed',
    right: 'change what the message names and log in again',
  },
  '30006': {
    step: 'limit',
    means: 'too many messages; the connection goes on',
    right: 'send less often: one message can name many topics',
  },
  '30007': {
    step: 'limit',
    means: 'too many messages or connections; the connection ends',
    right: 'send less often, and keep a few connections open rather than opening new ones',
  },
  '30016': {
    step: 'parameters',
    means: 'a part of the message is not what it must be',
    right: 'write the message as its example in /docs',
  },
  '30033': {
    step: 'exchange',
    means: 'the exchange stops or restarts',
    right: 'connect again; what was sent and not answered may have been carried out',
  },
};

const UNKNOWN_OUTCOME: ReadonlySet<string> = new Set(['40010', '25000']);
export const isUnknownOutcome = (code: string): boolean => UNKNOWN_OUTCOME.has(code);

export function whyOf(entry: Entry, keys: KeyDirectory): Why {
  const { code: sent, msg } = verdictOf(entry);
  if (['', '0', '00000'].includes(sent)) return { ...NOTHING, steps: stepsUpTo(undefined) };
  const code = codeOf(sent);
  const again = isUnknownOutcome(code)
    ? 'the outcome is unknown: ask for the order by its clientOid before sending it again'
    : 'nothing was changed, so it can be sent again once its cause is gone';
  const control = Object.hasOwn(CONTROL_RULES, code) ? CONTROL_RULES[code] : undefined;
  if (control !== undefined) {
    const { step, means, right } = control;
    return { steps: stepsUpTo(step), means, value: msg, bound: '', right, core: false, again };
  }
  const means = isWireCode(code) ? CATALOGUE[code].means : msg;
  if (isRuled(code)) {
    const refusal = { entry, msg, route: routeOf(entry), keys };
    const { step, value, bound, right }: Rule = RULES[code];
    return {
      steps: stepsUpTo(step),
      means,
      value: value(refusal),
      bound: bound(refusal),
      right: right(refusal),
      core: false,
      again,
    };
  }
  // The core words its refusals with value and bound.
  const right = Object.hasOwn(REMEDIES, code) ? REMEDIES[code as keyof typeof REMEDIES] : '';
  return { steps: stepsUpTo('exchange'), means, value: msg, bound: '', right, core: true, again };
}

/** The code of the catalogue, whatever the dialect and whether it came over HTTP or a socket. */
export function codeOf(sent: string): string {
  if (Object.hasOwn(SOCKET_CODES, sent)) return SOCKET_CODES[sent]!;
  return isWireCode(sent) ? sent : (CLASSIC_CODES.get(sent) ?? sent);
}

/** Older codes have one meaning for several; the first is the commonest. */
const CLASSIC_CODES: ReadonlyMap<string, string> = new Map(
  Object.keys(CATALOGUE)
    .map((code): [string | undefined, string] => [entryOf(code as WireCode).classic, code])
    .filter((pair): pair is [string, string] => pair[0] !== undefined)
    .reverse(),
);

const isWireCode = (code: string): code is WireCode => Object.hasOwn(CATALOGUE, code);
const isRuled = (code: string): code is keyof typeof RULES => Object.hasOwn(RULES, code);

const NOTHING = { means: '', value: '', bound: '', right: '', core: false, again: '' } as const;

function stepsUpTo(stop: StepName | undefined): Step[] {
  const at = stop === undefined ? STEPS.length : STEPS.indexOf(stop);
  return STEPS.map((name, n) => ({ name, verdict: n < at ? 'ok' : n === at ? 'no' : 'not reached' }));
}

export function routeOf({ method, target }: Entry): Route | undefined {
  const path = target.split('?', 1)[0];
  return ROUTES.find((route) => route.path === path && route.method === method);
}

export function parameterNames({ query, body }: Route): string[] {
  const properties = (schema: unknown): object =>
    (schema as { properties?: object; items?: { properties?: object } } | undefined)?.properties ??
    (schema as { items?: { properties?: object } } | undefined)?.items?.properties ??
    {};
  return Object.keys({ ...properties(query), ...properties(body) });
}

function parameterValue({ entry, msg }: Refusal): string {
  const [, name = ''] = /^parameter (\S+)/.exec(msg) ?? [];
  if (name === '') return '';
  const query = new URLSearchParams(entry.target.split('?')[1] ?? '');
  const last = name.split(/[./]/).at(-1)!;
  const inBody = itemsOf(parsed(entry.body)).map((item) => item[last]);
  const inFrame = itemsOf(fieldsOf(entry.body).args).map((item) => item[last]);
  const value: unknown = query.get(name) ?? [...inBody, ...inFrame].find((each) => each !== undefined);
  return value === undefined ? `${name} is not there` : `${name} = ${textOf(value) || JSON.stringify(value)}`;
}

function keyRights({ entry, keys }: Refusal): string {
  const key = keys.findKey(entry.apiKey)?.key;
  if (key === undefined) return `key ${entry.apiKey}`;
  return `key ${entry.apiKey}: ${key.permType}, ${key.permissions.join(', ')}`;
}
