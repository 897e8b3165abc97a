/** A running exchange as a test sees it. */
import { writeFile } from 'node:fs/promises';
import type { RunningExchange } from '../app/start/start-exchange.ts';
import { InstrumentStatus } from '../core/model/enums.ts';
import { choiceOf } from '../sequencer/clock-choice.ts';
import { parseDuration } from '../sequencer/duration.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { stateHash } from '../sequencer/state-hash.ts';
import { SigningAccount } from './account.ts';
import { advanceTo, instantsOf, nextTime, TIME_END } from './clock.ts';
import { type Explanation, explainQuery, type ToExplain } from './explain.ts';
import { addFault, outage, runScenario } from './faults.ts';
import { HeldPrices } from './held-prices.ts';
import type {
  Account,
  Bourse,
  BourseOptions,
  CapsuleOptions,
  Difference,
  Fault,
  FaultHandle,
  Force,
  ForkOptions,
  Happened,
  NextEvent,
  Referee,
  Report,
  RequestEntry,
  RequestFilter,
  Scenario,
  Snapshot,
} from './interface.ts';
import { Operator } from './operator.ts';
import type { Plan } from './options.ts';
import { capsuleBody, type Origin, rememberOrigin } from './origin.ts';
import type { Watch, Watchable } from './watched-tests.ts';

const SECOND_MS = 1000;

export class RunningBourse implements Bourse {
  readonly url: string;
  readonly wsUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly accounts: readonly Account[];
  readonly force: Force;
  readonly #exchange: RunningExchange;
  readonly #operator: Operator;
  readonly #plan: Plan;
  /** Undefined with a market, which has its own. */
  readonly #prices: HeldPrices | undefined;
  /** Prices that held at each snapshot. */
  readonly #pricesAt = new Map<string, ReadonlyMap<string, string>>();
  readonly #end: () => Promise<void>;
  readonly #watch: Watch | undefined;
  readonly #watchable: Watchable;

  /** `watch` is that of the test that has started it. */
  constructor(
    exchange: RunningExchange,
    plan: Plan,
    end: () => Promise<void> = () => exchange.stop(),
    watch?: Watch,
  ) {
    this.#exchange = exchange;
    this.#end = end;
    this.#watch = watch;
    this.#watchable = {
      session: () => this.#operator.download('/lab/capsule', {}),
      end,
      holdsPlace: plan.settings.data !== undefined || plan.settings.port !== '0',
    };
    watch?.add(this.#watchable);
    this.#plan = plan;
    this.url = exchange.url;
    this.wsUrl = `${exchange.url.replace(/^http/, 'ws')}/v3/ws`;
    this.operatorUrl = exchange.operatorUrl!;
    this.operatorToken = exchange.operatorToken!;
    const operator = new Operator(this.operatorUrl, this.operatorToken);
    this.#operator = operator;
    this.accounts = exchange.demoAccounts.map(
      ({ account, uid }) =>
        new SigningAccount(
          { ...account, uid: String(uid) },
          exchange.url,
          operator,
          () => exchange.sequencer.appliedSeq,
        ),
    );
    this.#prices = plan.hasMarket ? undefined : new HeldPrices(() => exchange.sequencer, operator);
    this.force = {
      liquidation: async (account) => {
        await operator.post('/admin/force/liquidation', { account: this.account(account).name });
      },
      funding: async (symbol) => {
        await operator.post('/admin/force/funding', this.#perpetual(symbol));
      },
      halt: async () => {
        await operator.post('/admin/halt');
      },
      resume: async () => {
        await operator.post('/admin/resume');
      },
      outage: (seconds, how = 'clean') => outage(operator, exchange.url, seconds, how),
    };
  }

  /** Index prices, contracts open with them, and with a manual clock the first second, in which marks come from them. */
  async open(): Promise<void> {
    const prices = this.#prices;
    if (prices === undefined) return;
    for (const [index, price] of Object.entries(this.#plan.prices)) prices.hold(this.#indexOf(index), price);
    await prices.reportAll();
    await openContracts(this.#exchange.sequencer);
    if (this.#plan.isManual) await this.advance('1s');
  }

  /** Prices that held where it goes on from. */
  goOn({ prices }: Pick<Origin, 'prices'>): void {
    if (prices !== undefined) this.#prices?.restore(prices);
  }

  account(name: string): Account {
    const found = this.accounts.find((account) => account.name === name);
    if (found !== undefined) return found;
    const names = this.accounts.map((account) => account.name).join(', ');
    throw new TypeError(`there is no account ${JSON.stringify(name)}; there are ${names}`);
  }

  ccxt(account?: string): Record<string, unknown> {
    const { url, wsUrl } = this;
    const keys = account === undefined ? undefined : this.account(account);
    return {
      ...(keys !== undefined && { apiKey: keys.apiKey, secret: keys.secretKey, password: keys.passphrase }),
      options: { uta: true },
      urls: {
        api: {
          ...{ uta: url, spot: url, common: url, mix: url },
          ws: { utaPublic: `${wsUrl}/public`, utaPrivate: `${wsUrl}/private` },
        },
      },
    };
  }

  sdk(account?: string): Record<string, unknown> {
    const keys = account === undefined ? undefined : this.account(account);
    return {
      baseUrl: this.url,
      ...(keys !== undefined && {
        apiKey: keys.apiKey,
        apiSecret: keys.secretKey,
        apiPass: keys.passphrase,
      }),
    };
  }

  async price(index: string, price: string): Promise<void> {
    await this.#withoutMarket('price').set(this.#indexOf(index), price);
  }

  async shock(coin: string, percent: number, over?: string): Promise<void> {
    const seconds = over === undefined ? 0 : this.#spanOf(over) / SECOND_MS;
    if (this.#prices === undefined) {
      await this.#operator.post('/admin/market/shock', { coin, percent, seconds });
      return;
    }
    if (over !== undefined && !['manual', 'driven'].includes(choiceOf(this.#exchange.sequencer.clock)))
      throw new TypeError('shock: a span needs a market, or a manual clock to move');
    const { coins } = this.#prices;
    if (!coins.includes(coin))
      throw new TypeError(
        `shock: no index has the price of ${JSON.stringify(coin)}; there are ${coins.join(', ')}`,
      );
    const steps = Math.max(1, Math.floor(seconds));
    const factor = (1 + percent / 100) ** (1 / steps);
    for (let step = 0; step < steps; step++) {
      await this.#prices.move(coin, factor);
      if (over !== undefined) await this.advance('1s');
    }
  }

  async advance(
    by: string | { readonly to: Date | string } | { readonly next: NextEvent },
  ): Promise<Happened> {
    const from = this.#exchange.sequencer.clock.now();
    const { to, next } = instantsOf(by);
    const until =
      typeof by === 'string'
        ? from + this.#spanOf(by)
        : next === undefined
          ? new Date(to!).getTime()
          : await nextTime(this.#operator, next);
    if (Number.isNaN(until)) throw new TypeError(`advance: to ${String(to)}: must be a Date or text of one`);
    // In parts it would take hours to get there.
    if (until >= TIME_END) throw new TypeError('advance: time ends with the year 2099');
    return advanceTo(this.#operator, from, until, async () => this.#prices?.reportAll());
  }

  async setClock(clock: NonNullable<BourseOptions['clock']>): Promise<void> {
    await this.#operator.post('/lab/clock/mode', { clock });
  }

  async now(): Promise<Date> {
    return new Date(this.#exchange.sequencer.clock.now());
  }

  async requests(filter: RequestFilter = {}): Promise<readonly RequestEntry[]> {
    const { account, code, path, limit, ...unknown } = filter;
    const [stray] = Object.keys(unknown);
    if (stray !== undefined)
      throw new TypeError(`requests: there is no ${stray}; there are account, code, path, limit`);
    const query = new URLSearchParams({
      ...(account !== undefined && { account: this.account(account).name }),
      ...(code !== undefined && { code }),
      ...(path !== undefined && { path }),
      ...(limit !== undefined && { limit: String(limit) }),
    });
    const { requests } = await this.#operator.get<{ requests: readonly RequestEntry[] }>(
      `/admin/requests?${query.toString()}`,
    );
    return requests;
  }

  async stateHash(): Promise<string> {
    await this.#exchange.sequencer.durable();
    return stateHash(this.#exchange.sequencer.state);
  }

  async snapshot(name?: string): Promise<Snapshot> {
    const saved = await this.#operator.post<Omit<Snapshot, 'time'> & { readonly time: number }>(
      '/lab/snapshots',
      name === undefined ? {} : { name },
    );
    if (this.#prices !== undefined) this.#pricesAt.set(saved.name, this.#prices.all());
    const { seq, time, stateHash: hash, bytes } = saved;
    const snapshot = { name: saved.name, seq, time: new Date(time), stateHash: hash, bytes };
    const prices = this.#pricesAt.get(saved.name);
    rememberOrigin(snapshot, this.#plan, prices, () => this.#exchange.branchFrom(saved.name));
    return snapshot;
  }

  async revert(to: Snapshot | string, options: { readonly keepSockets?: boolean } = {}): Promise<void> {
    await this.#operator.post('/lab/revert', { to: nameOf(to), ...options });
    this.#prices?.restore(this.#pricesAt.get(nameOf(to)) ?? new Map());
  }

  async fork({ from, ...options }: ForkOptions = {}): Promise<Bourse> {
    const { id } = await this.#operator.post<{ readonly id: string }>('/lab/forks', {
      ...options,
      ...(from !== undefined && { from: nameOf(from) }),
    });
    const plan = {
      ...this.#plan,
      hasMarket: options.market === undefined ? this.#plan.hasMarket : options.market !== 'off',
      isManual:
        options.clock === undefined
          ? this.#plan.isManual
          : options.clock === 'manual' || options.clock === 'driven',
    };
    const end = async () => {
      await this.#operator.delete(`/lab/forks/${id}`);
    };
    const fork = new RunningBourse(this.#exchange.fork(id)!, plan, end);
    const held = from === undefined ? this.#prices?.all() : this.#pricesAt.get(nameOf(from));
    fork.#prices?.restore(held ?? new Map());
    return fork;
  }

  diff(from: Snapshot | string, to?: Snapshot | string): Promise<Difference> {
    const query = new URLSearchParams({ from: nameOf(from), ...(to !== undefined && { to: nameOf(to) }) });
    return this.#operator.get(`/lab/diff?${query.toString()}`);
  }

  explain(what: ToExplain, { others = false }: { readonly others?: boolean } = {}): Promise<Explanation> {
    return this.#operator.get(`/lab/explain?${explainQuery(what, others)}`);
  }

  async capsule(file: string, options: CapsuleOptions = {}): Promise<void> {
    const bytes = await this.#operator.download('/lab/capsule', capsuleBody(options));
    await writeFile(file, bytes, { mode: 0o600 });
  }

  referee(account: string, { since }: { readonly since?: string } = {}): Promise<Referee> {
    const query = new URLSearchParams({
      account: this.account(account).name,
      ...(since !== undefined && { since }),
    });
    return this.#operator.get(`/lab/referee?${query.toString()}`);
  }

  fault(rule: Fault): Promise<FaultHandle> {
    return addFault(this.#operator, rule);
  }

  run(scenario: Scenario | string): Promise<Report> {
    return runScenario(this.#operator, scenario);
  }

  close(): Promise<void> {
    return this.#watch?.close(this.#watchable) ?? this.#end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #withoutMarket(what: string): HeldPrices {
    if (this.#prices !== undefined) return this.#prices;
    throw new TypeError(
      `${what}: the market has its own prices; move them with shock, or start with market 'off'`,
    );
  }

  #indexOf(name: string): string {
    const names = this.#prices?.names ?? [];
    if (names.includes(name)) return name;
    throw new TypeError(`there is no index ${JSON.stringify(name)}; there are ${names.join(', ')}`);
  }

  #spanOf(text: string): number {
    const span = parseDuration(text);
    if (span === undefined)
      throw new TypeError(`${JSON.stringify(text)} must be a span such as 8h, 1d12h, 90s`);
    return span;
  }

  /** `BTCUSDT` is that of the first category that has it. */
  #perpetual(name: string): { category: string; symbol: string } {
    const [first, second] = name.split(':');
    const { instruments } = this.#exchange.sequencer.state;
    const perpetuals = instruments.flatMap(({ futures, spec }) =>
      futures === undefined || futures.delivery !== undefined ? [] : [spec],
    );
    const found = perpetuals.find(({ category, symbol }) =>
      second === undefined ? symbol === first : category === first && symbol === second,
    );
    if (found !== undefined) return { category: found.category, symbol: found.symbol };
    const names = perpetuals.map(({ category, symbol }) => `${category}:${symbol}`).join(', ');
    throw new TypeError(`there is no perpetual ${JSON.stringify(name)}; there are ${names}`);
  }
}

function nameOf(snapshot: Snapshot | string): string {
  return typeof snapshot === 'string' ? snapshot : snapshot.name;
}

/** Opens contracts that wait for a price. One with a future launch opens at its launch. */
async function openContracts(sequencer: Sequencer): Promise<void> {
  const { instruments, now } = sequencer.state;
  for (const { index: instrument, status, calendar } of instruments) {
    const waits = Number.isFinite(calendar.launchTime) && calendar.launchTime > now;
    if (status === InstrumentStatus.listed && !waits)
      await sequencer.submit({ type: 'setInstrumentStatus', instrument, status: 'online' });
  }
}
