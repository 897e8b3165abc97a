/** The operator of a running server, for tests that need money booked or accounts opened. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InclusionProof } from '../../src/reserves/merkle-sum-tree.ts';
import { formatDuration, parseDuration } from '../../src/sequencer/duration.ts';
import type { DemoKeys, TestServer } from './server.ts';

interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** A price that nobody repeats grows old after a quarter of an hour (rules 5.14). */
const PAUSE_MS = 5 * 60_000;

export class Operator {
  readonly endpoint: Endpoint;
  /** Tell the last prices again at the end of each long advance, as a feed would. */
  keepsPrices = false;
  private readonly told = new Map<string, string>();

  constructor(server: TestServer) {
    this.endpoint = JSON.parse(readFileSync(join(server.data, 'operator.json'), 'utf8')) as Endpoint;
  }

  /** Credits a deposit; its reference is what the outside world calls it. */
  async deposit(deposit: {
    readonly account: string;
    readonly coin: string;
    readonly amount: string;
    readonly reference: string;
    readonly wallet?: 'unified' | 'funding';
    readonly chain?: string;
    readonly address?: string;
  }): Promise<void> {
    await this.must('/admin/deposits', deposit);
  }

  async setStatus(category: string, symbol: string, status: string): Promise<void> {
    await this.must('/admin/instruments/status', { category, symbol, status });
  }

  /** One price for every component of an index, such as BTCUSDT, or for that of one exchange. */
  async setPrice(index: string, price: string, exchange?: string): Promise<void> {
    if (exchange === undefined) this.told.set(index, price);
    await this.must('/admin/prices', { index, price, ...(exchange !== undefined && { exchange }) });
  }

  /** Moves the manual clock; resolves with how often each kind of event happened on the way. */
  async advanceClock(by: string, step = '1s'): Promise<Record<string, number>> {
    const ms = parseDuration(by)!;
    if (!this.keepsPrices || ms < PAUSE_MS) return this.advance(by, step);
    const before = await this.advance(formatDuration(ms - 1000), step);
    for (const [index, price] of this.told) await this.setPrice(index, price);
    const last = await this.advance('1s', '1s');
    const kinds = new Set([...Object.keys(before), ...Object.keys(last)]);
    return Object.fromEntries([...kinds].map((kind) => [kind, (before[kind] ?? 0) + (last[kind] ?? 0)]));
  }

  private async advance(by: string, step: string): Promise<Record<string, number>> {
    const { events } = (await this.must('/admin/clock/advance', { by, step })) as {
      events: Record<string, number>;
    };
    return events;
  }

  /** An advance that may be refused. */
  async tryAdvance(body: object): Promise<{ status: number; code: string; message: string }> {
    const answer = await this.post('/admin/clock/advance', body);
    const { error = { code: '', message: '' } } = (await answer.json()) as {
      error?: { code: string; message: string };
    };
    return { status: answer.status, ...error };
  }

  /** Liquidates an account of a demo, or with a contract deleverages it there. */
  async force(account: string, contract?: { category: string; symbol: string }): Promise<void> {
    if (contract === undefined) await this.must('/admin/force/liquidation', { account });
    else await this.must('/admin/force/deleveraging', { account, ...contract });
  }

  /** Moves the price of a coin in the world outside, at once. */
  async shock(coin: string, percent: number): Promise<void> {
    await this.must('/admin/market/shock', { coin, percent });
  }

  /** The time of the exchange in milliseconds. */
  async time(): Promise<number> {
    const answer = await this.send('/admin/clock', { method: 'GET' });
    return ((await answer.json()) as { time: number }).time;
  }

  /** Money for loans; a negative amount takes it out. */
  async fundLoans(coin: string, amount: string, reference: string): Promise<void> {
    const taken = amount.startsWith('-');
    const body = { coin, amount: taken ? amount.slice(1) : amount, reference };
    await this.must(`/admin/loan-pools/${taken ? 'drain' : 'fund'}`, body);
  }

  async setLoanRate(coin: string, term: string, yearRate: string): Promise<void> {
    await this.must('/admin/loan-rates', { coin, term, yearRate });
  }

  /** Users, house and outside world, coin by coin. */
  async books(): Promise<{ balanced: boolean; coins: { coin: string; total: string }[] }> {
    const answer = await this.send('/admin/books', { method: 'GET' });
    return (await answer.json()) as { balanced: boolean; coins: { coin: string; total: string }[] };
  }

  /** Per coin everything adds up to nothing. */
  async assertBooksAgree(): Promise<void> {
    const { coins } = await this.books();
    const open = coins.filter(({ total }) => total !== '0');
    assert.deepEqual(open, [], 'the books do not agree');
  }

  async loanPool(coin: string): Promise<{ free: string; lent: string; lost: string; loans: number }> {
    const answer = await this.send('/admin/loan-pools', { method: 'GET' });
    const { pools } = (await answer.json()) as {
      pools: { coin: string; free: string; lent: string; lost: string; loans: number }[];
    };
    return pools.find((pool) => pool.coin === coin)!;
  }

  /** Does the audit log hold an action with these arguments that was carried out? */
  async hasDone(action: string, given: object): Promise<boolean> {
    const answer = await this.send('/admin/audit?limit=50', { method: 'GET' });
    const { lines } = (await answer.json()) as {
      lines: { action: string; outcome: string; arguments: object }[];
    };
    const wanted = JSON.stringify(given);
    return lines.some(
      (line) =>
        line.action === action && line.outcome === 'done' && JSON.stringify(line.arguments) === wanted,
    );
  }

  async trySetPrice(body: object): Promise<number> {
    return (await this.post('/admin/prices', body)).status;
  }

  async settle(orderId: string, txId: string): Promise<number> {
    return (await this.post(`/admin/withdrawals/${orderId}/settle`, { txId })).status;
  }

  async refuse(orderId: string, reason: string): Promise<number> {
    return (await this.post(`/admin/withdrawals/${orderId}/refuse`, { reason })).status;
  }

  /** Lists what a catalogue file would hold as one entry. */
  async list(spec: object): Promise<void> {
    await this.must('/admin/instruments', { spec });
  }

  async approveMarketMaker(account: string): Promise<void> {
    await this.must(`/admin/accounts/${account}/market-maker`, { marketMaker: true });
  }

  /** Takes an audit of the reserves; resolves with its root. */
  async auditReserves(): Promise<string> {
    return ((await this.must('/admin/reserves/audit', {})) as { root: string }).root;
  }

  /** The proof that the last audit has counted an account. */
  async proveReserves(account: string): Promise<InclusionProof> {
    const answer = await this.send(`/admin/reserves/${account}`, { method: 'GET' });
    return (await answer.json()) as InclusionProof;
  }

  /** Enters where withdrawals may go. */
  async addAddress(account: string, entry: object): Promise<void> {
    await this.must(`/admin/accounts/${account}/addresses`, entry);
  }

  async lockAddresses(account: string, locked: boolean): Promise<void> {
    await this.must(`/admin/accounts/${account}/address-lock`, { locked });
  }

  /** What a main account may share out beyond the standard. */
  async addQuota(account: string, category: 'spot' | 'futures', extra: number): Promise<void> {
    await this.must(`/admin/accounts/${account}/order-quota`, { category, extra });
  }

  /** A broker's share of the fees of its sub-accounts. */
  async setCommission(account: string, share: string): Promise<void> {
    await this.must(`/admin/accounts/${account}/commission`, { share });
  }

  async makeBroker(account: string): Promise<void> {
    await this.must(`/admin/accounts/${account}/broker`, { broker: true });
  }

  /** A sub-account with one key of these permissions. */
  async openSub(name: string, master: string, permissions: readonly string[]): Promise<DemoKeys> {
    await this.must('/admin/accounts', { name, kind: 'sub', master });
    return this.openKey(await this.uidOf(name), name, permissions);
  }

  async openKey(
    uid: number,
    name: string,
    permissions: readonly string[],
    permType: 'read_only' | 'read_write' = 'read_write',
  ): Promise<DemoKeys> {
    const made = (await this.must(`/admin/accounts/${uid}/keys`, {
      label: name,
      permType,
      permissions,
      passphrase: 'test12345',
    })) as { key: { apiKey: string }; secretKey: string };
    return {
      name,
      uid,
      apiKey: made.key.apiKey,
      secretKey: made.secretKey,
      passphrase: 'test12345',
    };
  }

  /** A key whose secret the venue does not know: it checks signatures with the public one. Its passphrase is the usual. */
  async openSignedKey(uid: number, kind: 'rsa' | 'ed25519', publicKey: string): Promise<string> {
    const made = (await this.must(`/admin/accounts/${uid}/keys`, {
      label: kind,
      permType: 'read_write',
      permissions: ['uta_trade', 'uta_mgt'],
      passphrase: 'test12345',
      kind,
      publicKey,
    })) as { key: { apiKey: string } };
    return made.key.apiKey;
  }

  async deleteKey(apiKey: string): Promise<void> {
    const answer = await this.send(`/admin/keys/${apiKey}`, { method: 'DELETE' });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  }

  private async uidOf(name: string): Promise<number> {
    const answer = await this.send('/admin/accounts?limit=1000', { method: 'GET' });
    const { accounts } = (await answer.json()) as { accounts: { uid: number; name: string }[] };
    return accounts.find((account) => account.name === name)!.uid;
  }

  private async must(path: string, body: object): Promise<unknown> {
    const answer = await this.post(path, body);
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  private post(path: string, body: object): Promise<Response> {
    return this.send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...this.headers(), 'content-type': 'application/json' },
    });
  }

  private send(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.endpoint.url}${path}`, { headers: this.headers(), ...init });
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.endpoint.token}`, 'x-operator': 'tester' };
  }
}
