/** The banner of a ready exchange: accounts, contents, addresses, first commands to try. */
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import type { OpenedDemoAccount } from '../../identity/demo-accounts.ts';
import { BOURSE } from '../../program-name.ts';
import { clientSnippet } from './client-snippets.ts';
import type { Paint } from './colour.ts';
import { count, counted, textTable } from './format.ts';

export interface StartFacts {
  readonly version: string;
  readonly url: string;
  readonly operatorUrl?: string | undefined;
  /** Printed to a terminal only: a file would keep it. */
  readonly consoleCode?: string | undefined;
  /** In memory mode: the token has no file, and ends with the process. */
  readonly operatorToken?: string | undefined;
  /** Undefined when everything is in memory. */
  readonly data: string | undefined;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  /** Who may use the demo accounts. */
  readonly demoReach: 'loopback' | 'container';
  /** Instruments by category. */
  readonly instruments: Readonly<Record<string, number>>;
  readonly replayedCommands: number;
  readonly readySeconds: number;
  readonly rateLimits: 'on' | 'off';
  /** Undefined when the simulator is off. */
  readonly market?: MarketFacts | undefined;
}

export interface MarketFacts {
  readonly level: string;
  readonly seed: number;
  readonly feed: string;
  readonly agents: number;
}

/** Scripts wait for this line: it is always the last, always the same. */
export function listeningLine(url: string): string {
  return `Listening on ${url}\n`;
}

/** The facts as one line of JSON, for a stdout that is not a terminal. */
export function factsLine(facts: StartFacts): string {
  return `${JSON.stringify(factsDocument(facts))}\n`;
}

/** The facts for programs. */
export function factsDocument(facts: StartFacts) {
  const { version, url, data, demoAccounts, instruments, replayedCommands, readySeconds, rateLimits } = facts;
  const accounts = demoAccounts.map(({ account, uid }) => {
    const { name, apiKey, secretKey, passphrase } = account;
    return { name, uid, apiKey, secretKey, passphrase };
  });
  return {
    event: 'ready',
    version,
    pid: process.pid,
    node: process.versions.node,
    url,
    wsUrl: `${url.replace(/^http/, 'ws')}/v3/ws`,
    api: `${url}/api/v3`,
    page: `${url}/`,
    docs: `${url}/docs`,
    operator: facts.operatorUrl ?? null,
    operatorUrl: facts.operatorUrl ?? null,
    ...(facts.operatorToken !== undefined && { operatorToken: facts.operatorToken }),
    memory: data === undefined,
    data: data ?? null,
    accounts,
    instruments,
    rateLimits,
    market: facts.market ?? null,
    replayedCommands,
    readySeconds,
  };
}

export function banner(facts: StartFacts, paint: Paint, unicode: boolean): string {
  const dot = unicode ? ' · ' : ' | ';
  const ready = `ready in ${facts.readySeconds.toFixed(1)} s`;
  const sections = [
    [`${paint('bold', `bourse ${facts.version}`)}${dot}node ${process.versions.node}${dot}${ready}`],
    addresses(facts, paint),
    accounts(facts, paint),
    world(facts, paint, dot),
    toTry(facts, paint),
  ];
  const lines = sections
    .filter((section) => section.length > 0)
    .map((section) => section.map(indented).join('\n'));
  return `\n${lines.join('\n\n')}\n\n`;
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`;
}

function titled(title: string, lines: readonly string[], paint: Paint): string[] {
  const label = paint('cyan', title.padEnd(8));
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(8)} ${line}`);
}

function addresses({ url, operatorUrl, operatorToken, consoleCode }: StartFacts, paint: Paint): string[] {
  const operator = [
    `${operatorUrl}${consoleCode === undefined ? '' : `/#code=${consoleCode}`} is the console, for a minute`,
    operatorToken === undefined
      ? `later: ${BOURSE} console, and ${BOURSE} --help for the command line`
      : `its token, while this process runs: ${operatorToken}`,
  ];
  return [
    ...titled('Page', [`${url}/ to trade in a browser`], paint),
    ...titled('API', [`${url}/api/v3`], paint),
    ...titled('Docs', [`${url}/docs`], paint),
    ...titled('Health', [`${url}/readyz`, `${url}/metrics`], paint),
    ...titled('Operator', operatorUrl === undefined ? [] : operator, paint),
  ];
}

function accounts({ demoAccounts, demoReach, data }: StartFacts, paint: Paint): string[] {
  if (demoAccounts.length === 0) return titled('Accounts', ['none opened (--no-demo)'], paint);
  const head = ['name', 'uid', 'apiKey', 'secretKey', 'passphrase', 'funds'];
  const rows = demoAccounts.map(({ account, uid }) => [
    account.name,
    String(uid),
    account.apiKey,
    account.secretKey,
    account.passphrase,
    funds(account.funding),
  ]);
  const [first, ...rest] = textTable([head, ...rows]);
  const file = data === undefined ? '' : `; also in ${data}/demo-accounts.json`;
  const reach = demoReach === 'container' ? 'private addresses' : 'this machine';
  const note = `same keys on every machine, so ${reach} only${file}`;
  return [
    ...titled('Accounts', [note], paint),
    `  ${paint('dim', first!)}`,
    ...rest.map((line) => `  ${line}`),
  ];
}

/** The first coins, and the number of the rest: ten amounts would not fit a line. */
function funds(funding: Readonly<Record<string, string>>): string {
  const coins = Object.entries(funding);
  const shown = coins.slice(0, 1).map(([coin, amount]) => `${count(Number(amount))} ${coin}`);
  return coins.length > 1 ? `${shown.join(', ')} + ${coins.length - 1} coins` : shown.join(', ');
}

function world(facts: StartFacts, paint: Paint, dot: string): string[] {
  const counts = CATEGORY_NAMES.filter((category) => (facts.instruments[category] ?? 0) > 0)
    .map((category) => `${facts.instruments[category]} ${category}`)
    .join(dot);
  const restored =
    facts.replayedCommands === 0 ? '' : ` (${counted(facts.replayedCommands, 'command')} replayed)`;
  return [
    ...titled('Market', [counts || 'no instruments', activity(facts.market, dot)], paint),
    ...titled('Limits', [`rate limits ${facts.rateLimits}`], paint),
    ...titled('State', state(facts, restored, paint), paint),
  ];
}

function state({ data }: StartFacts, restored: string, paint: Paint): string[] {
  if (data !== undefined) return [`${data}${restored}`, 'kept when you stop with Ctrl-C and start again'];
  return [
    paint('red', 'IN MEMORY: all of it is gone when this process ends'),
    'start without --memory to keep it',
  ];
}

function activity(market: MarketFacts | undefined, dot: string): string {
  if (market === undefined) return 'off: books are empty and futures wait for prices (--market normal)';
  return `${market.level}: ${counted(market.agents, 'agent')} trading${dot}${market.feed}${dot}${BOURSE} market --help`;
}

function toTry({ url, demoAccounts }: StartFacts, paint: Paint): string[] {
  const curl = `curl '${url}/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT'`;
  const trader = demoAccounts[0]?.account;
  if (trader === undefined) return titled('Try', [curl], paint);
  const program = clientSnippet('ccxt-js', { ...trader, url })
    .trimEnd()
    .split('\n');
  const others = `${BOURSE} client ccxt-py|sdk|curl`;
  return titled('Try', [curl, others, '', ...program], paint).map((line) => line.trimEnd());
}
