/** What an action of an operator is, and the fields that several have. */

export type Values = Readonly<Record<string, string>>;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly string[];
  /** May stay empty. */
  readonly optional?: boolean;
  readonly first?: string;
  readonly hint?: string;
  /** A document, of several lines. */
  readonly json?: boolean;
}

export interface OperatorRequest {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Action {
  readonly title: string;
  readonly note?: string;
  readonly fields: readonly Field[];
  readonly request: (values: Values) => OperatorRequest;
  /** Arguments of `bourse`; those that are empty are left out with the option before them. */
  readonly command: (values: Values) => readonly string[];
  /** Name of the object, to be typed; undefined when the action is harmless with these values. */
  readonly typed?: (values: Values) => string | undefined;
}

export const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'];
export const STATUSES = ['listed', 'online', 'limit_open', 'limit_close', 'offline', 'restrictedAPI'];
export const CONTRACTS = CATEGORIES.slice(2);
export const SWITCH = ['on', 'off'];

export const account: Field = {
  name: 'account',
  label: 'Account',
  hint: 'uid or name; a sub-account as main/sub',
};
export const coin: Field = { name: 'coin', label: 'Coin', hint: 'such as USDT' };
export const amount: Field = { name: 'amount', label: 'Amount', hint: 'such as 1000.5' };
export const reference: Field = {
  name: 'reference',
  label: 'Reference',
  hint: 'what it is known by outside',
};
export const category: Field = { name: 'category', label: 'Category', options: CATEGORIES };
export const symbol: Field = { name: 'symbol', label: 'Symbol', hint: 'such as BTCUSDT' };
export const seconds: Field = { name: 'seconds', label: 'Seconds', optional: true };

/** Fields that are empty are not sent. */
export function filled(values: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}
export const secondsOf = (text: string | undefined) => (text ? { seconds: Number(text) } : {});
/** An instant, not a span such as `8h`. */
export const isInstant = (text: string) => /^[0-9]+-/.test(text);
export const option = (flag: string, value: string | undefined) => (value ? [flag, value] : []);
export const ofAccount = (values: Values, rest: string) =>
  `/admin/accounts/${encodeURIComponent(values.account ?? '')}/${rest}`;

export function plain(
  title: string,
  path: string,
  command: readonly string[],
  note: string,
  typed?: string,
): Action {
  return {
    title,
    note,
    fields: [],
    request: () => ({ method: 'POST', path, body: {} }),
    command: () => command,
    ...(typed !== undefined && { typed: () => typed }),
  };
}
