/**
 * The house's exposure and the audit of the reserves over the real listeners and the real command line: trades make each
 * figure, limits of the settings are passed and hold again, and a restart changes nothing (rules 13.2, 13.5, 13.7).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { MONEY_SCALE, parseUnits } from '../../src/core/model/units.ts';
import '../harness/cheap-passphrases.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { command } from './bourse-process.ts';

const data = temporaryDirectory();
const FLAGS = {
  data,
  port: '0',
  operatorPort: '0',
  demo: 'off',
  market: 'off',
  clock: 'manual',
  clockStart: '2026-06-25T07:00:00Z',
  rateLimits: 'off',
  segmentBytes: '1048576',
  exposureLimits: 'margin-lending=50000,bad-debt=500,insurance:USDT=4000,clearing-short:BTC=500',
} as const;
/** Names of accounts and what they bring. */
const PEOPLE = {
  market: { USDT: '1000000', BTC: '100' },
  ann: { USDT: '30000' },
  lou: { BTC: '1' },
  cat: { BTC: '10' },
  dan: { BTC: '10' },
} as const;

let exchange: RunningExchange;
let operator: Operator;
const keys = new Map<string, DemoKeys>();

async function start(): Promise<void> {
  const resolved = await resolveConfig({ flags: FLAGS, environment: {}, directory: data });
  exchange = await startExchange(resolved, pino({ level: 'silent' }), (error) => {
    throw error;
  });
  await exchange.sequencer.submit({ type: 'setEdition', edition: 2 });
  operator = new Operator({ data } as never);
}

before(async () => {
  await start();
  await operator.setStatus('COIN-FUTURES', 'BTCUSD', 'online');
  for (const [name, money] of Object.entries(PEOPLE)) {
    const { uid } = (await admin('/admin/accounts', { name, kind: 'main' })).account;
    keys.set(name, await operator.openKey(uid, name, ['uta_trade', 'uta_mgt']));
    for (const [coin, amount] of Object.entries(money))
      await operator.deposit({ account: name, coin, amount, reference: 'start' });
  }
  await priceMoves('60000');
});

after(() => exchange.stop());

/** `bourse ... --json`, which must end with this exit code. */
async function ask(...args: string[]) {
  return JSON.parse((await ends(0, ...args, '--json')).stdout);
}

/** A request to the operator's listener: a question, or an action with its body. */
async function admin(path: string, body?: object) {
  const { url, token } = operator.endpoint;
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.equal(answer.status, 200, path);
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return (await answer.json()) as any;
}

async function ends(exitCode: number, ...args: string[]) {
  const ended = await command([...args, '--data', data]);
  assert.equal(ended.code, exitCode, `bourse ${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
  return ended;
}

async function priceMoves(price: string): Promise<void> {
  for (const index of ['BTCUSDT', 'BTCUSD']) await operator.setPrice(index, price);
  await operator.advanceClock('1s');
}

async function post(name: string, path: string, body: object): Promise<void> {
  const { code, msg } = await new SignedClient(exchange.url, keys.get(name)).post(path, body);
  assert.equal(code, '00000', `${name} ${path}: ${code} ${msg}`);
}

const ORDER = { orderType: 'limit', timeInForce: 'gtc', symbol: 'BTCUSDT' } as const;

interface Trader {
  readonly name: string;
  /** Another category than that of the terms. */
  readonly category?: string;
}

/** `buyer` rests, `seller` takes. */
async function deal(buyer: Trader, seller: Trader, terms: object): Promise<void> {
  for (const [side, { name, ...own }] of [['buy', buyer] as const, ['sell', seller] as const])
    await post(name, '/api/v3/trade/place-order', { ...ORDER, ...terms, ...own, side });
}

async function checks(): Promise<Map<string, string | undefined>> {
  const { checks: found } = (await (await fetch(`${exchange.url}/readyz`)).json()) as {
    checks: { name: string; ok: boolean; detail?: string }[];
  };
  const own = found.filter(({ name }) => name === 'exposure' || name === 'reserves');
  assert.ok(own.length === 2 && own.every(({ ok }) => ok), 'a warning does not make the exchange unready');
  return new Map(own.map(({ name, detail }) => [name, detail]));
}

/** Readiness looks at accounts at most once a second. */
const warns = (name: string, about: RegExp) =>
  until(`${name} warns of ${about}`, async () => about.test((await checks()).get(name) ?? ''));
const warnsNot = (name: string, about: RegExp) =>
  until(`${name} warns no more of ${about}`, async () => !about.test((await checks()).get(name) ?? ''));

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${exchange.url}/metrics`)).text();
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  assert.ok(found !== undefined, `${line} is not among the metrics`);
  return Number(found.slice(line.length + 1));
}

/** What a coin's row of the page says of a figure. */
async function amount(figure: string, coin: string): Promise<string> {
  const { coins } = await admin('/admin/exposure');
  return coins.find((row: { coin: string }) => row.coin === coin)?.amounts[figure] ?? '0';
}

test('a new venue passes no limit but that of a fund that is still empty', async () => {
  const { limits, warnings } = await ask('exposure');
  assert.deepEqual(warnings, ['insurance of USDT is 0 USD, below its limit of 4000']);
  assert.deepEqual(
    limits.map(
      ({ figure, coin, kind, limit }: Record<string, string>) => `${figure} ${coin} ${kind} ${limit}`,
    ),
    [
      'clearing-short  most 100000',
      'conversion  most 1000000',
      'bad-debt  most 500',
      'margin-lending  most 50000',
      'insurance USDT least 4000',
      'clearing-short BTC most 500',
    ],
  );
  await warns('exposure', /insurance of USDT is 0 USD, below its limit of 4000/);
  assert.equal(await metric('bourse_exposure_limit_passed{figure="insurance",coin="USDT"}'), 1);
  await ask('insurance', 'fund', '5000', 'USDT', '--reference', 'first');
  await ask('insurance', 'fund', '0.01', 'BTC', '--of', 'lending', '--reference', 'second');
  await warnsNot('exposure', /insurance/);
  assert.equal(await metric('bourse_exposure_limit_passed{figure="insurance",coin="USDT"}'), 0);
  assert.equal(await metric('bourse_exposure_amount{figure="insurance-lending",coin="BTC"}'), 0.01);
  assert.match((await ends(0, 'exposure', '--check')).stdout, /no limit is passed/);
});

test('borrowed coin passes its limit, and is within it when it is bought back', async () => {
  await deal(
    { name: 'market' },
    { name: 'ann', category: 'MARGIN' },
    { category: 'SPOT', qty: '1', price: '60000' },
  );
  assert.equal(await amount('margin-lending', 'BTC'), '1');
  assert.ok(Number(await amount('fees', 'USDT')) > 0);
  await warns('exposure', /margin-lending is 60000 USD, above its limit of 50000/);
  assert.equal(await metric('bourse_exposure_dollars{figure="margin-lending"}'), 60_000);
  const shown = await ends(1, 'exposure', '--check');
  assert.match(shown.stdout, /^margin-lending +60000\.00 +PASSED at most 50000$/m);
  assert.match(shown.stdout, /WARNING: margin-lending is 60000 USD/);
  await ends(1, 'exposure', '--check', '--json');
  await ends(0, 'exposure');
  // The buyer's fee is in BTC.
  await deal(
    { name: 'ann', category: 'MARGIN' },
    { name: 'market' },
    { category: 'SPOT', qty: '1.01', price: '60000' },
  );
  await warnsNot('exposure', /margin-lending/);
  assert.equal(await amount('margin-lending', 'BTC'), '0');
});

test('a pledge loan is at stake with its principal', async () => {
  await operator.fundLoans('USDT', '20000', 'pool');
  await post('lou', '/api/v3/loan/borrow', {
    loanCoin: 'USDT',
    pledgeCoin: 'BTC',
    daily: 'FLEXIBLE',
    loanAmount: '5000',
  });
  assert.equal(await amount('loans', 'USDT'), '5000');
  assert.equal((await operator.loanPool('USDT')).lent, '5000');
});

test('R2 (d): D of coin-margined contracts is on the page, in the metrics and in the trial balance', async () => {
  const contract = { category: 'COIN-FUTURES', symbol: 'BTCUSD', qty: '5' };
  await deal({ name: 'cat' }, { name: 'market' }, { ...contract, price: '60000' });
  await priceMoves('62000');
  await deal({ name: 'dan' }, { name: 'cat' }, { ...contract, price: '62000' });
  assert.equal(await amount('clearing', 'BTC'), '-0.16129032');
  assert.equal(await amount('clearing-short', 'BTC'), '0');
  await priceMoves('68200');
  // 10 000 dollars were paid out at 62 000 and are still owed at 68 200: 0.16129032 - 0.14662756.
  assert.equal(await amount('clearing-short', 'BTC'), '0.01466276');
  assert.equal(await metric('bourse_exposure_amount{figure="clearing-short",coin="BTC"}'), 0.01466276);
  assert.equal(await balanceRow('clearingShort'), '0.01466276');
  assert.match((await ends(0, 'trial-balance')).stdout, /the house would lack 0\.01466276 BTC/);
  await warns('exposure', /clearing-short of BTC is 1000 USD, above its limit of 500/);
  await priceMoves('62000');
  await warnsNot('exposure', /clearing-short/);
});

test('R7 (e): bad debt and what was converted for it are at stake, before and after a restart', async () => {
  const short = { category: 'SPOT', qty: '1', price: '62000' };
  await deal({ name: 'market' }, { name: 'ann', category: 'MARGIN' }, short);
  await priceMoves('100000');
  const owed = await amount('bad-debt', 'BTC');
  assert.ok(Number(owed) > 0.05, owed);
  assert.equal(await amount('margin-lending', 'BTC'), owed);
  assert.equal(await amount('insurance-lending', 'BTC'), '0.008', 'the fund has paid a fifth of itself');
  assert.equal(await balanceRow('badDebt'), owed);
  assert.equal(await balanceRow('insuranceLending'), '0.008');
  await warns('exposure', /bad-debt is \d+\.?\d* USD, above its limit of 500/);
  assert.equal(await metric('bourse_exposure_amount{figure="bad-debt",coin="BTC"}'), Number(owed));

  const { time: _, ...page } = await ask('exposure');
  const dollars = new Map<string, string>(
    page.coins.map((row: { coin: string; dollars: Record<string, string> }) => [
      row.coin,
      row.dollars.conversion,
    ]),
  );
  const [bought, paid] = [Number(dollars.get('USDT')), -Number(dollars.get('BTC'))];
  assert.ok(bought > 0 && paid > 0);
  assert.equal(Number(page.totals.conversion), Math.max(bought, paid), 'the larger side of the conversions');

  await exchange.stop();
  await start();
  const { time: __, ...again } = await ask('exposure');
  assert.deepEqual(again, page);
  await warns('exposure', /bad-debt/);

  await ask('insurance', 'write-off', 'ann');
  assert.equal(await amount('bad-debt', 'BTC'), '0');
  assert.equal(await amount('written-off', 'BTC'), owed);
  assert.equal(await balanceRow('writtenOff'), owed);
  await warnsNot('exposure', /bad-debt/);
});

test('R2 (c): readiness warns while contracts of a coin only close', async () => {
  await priceMoves('115000');
  await warnsNot('exposure', /only close/);
  await priceMoves('130000');
  await warns('exposure', /contracts of BTC only close/);
  assert.deepEqual((await ask('exposure')).closeOnly, ['BTC']);
  assert.equal(await metric('bourse_exposure_close_only_coins'), 1);
  await priceMoves('100000');
  await warnsNot('exposure', /only close/);
});

test('R5 (c): in a state made by hand the audit warns of what is lent out and ends with 4 when coin is missing', async () => {
  await operator.deposit({ account: 'ann', coin: 'USDT', amount: '30000', reference: 'again' });
  await deal(
    { name: 'market' },
    { name: 'ann', category: 'MARGIN' },
    { category: 'SPOT', qty: '0.1', price: '95000' },
  );
  // What was written off is missing. A debt in BTC that the house paid for USDT is not: it can buy the BTC with that.
  await ends(4, 'reserves', 'audit');
  await warns('reserves', /BTC is insolvent/);
  await ask('insurance', 'fund', '0.2', 'BTC', '--reference', 'second');
  const short = await ask('reserves', 'audit');
  assert.equal(short.solvency, 'illiquid');
  assert.ok(Number(short.coins.find((row: { coin: string }) => row.coin === 'BTC').converted) > 0);
  await warns('reserves', /BTC is illiquid/);
  await ask('insurance', 'fund', '2', 'BTC', '--reference', 'third');
  await warnsNot('reserves', /./);
  const solvent = await ask('reserves', 'audit');
  assert.equal(solvent.solvency, 'solvent');
  assert.equal(await metric('bourse_solvency{state="solvent"}'), 1);
  const { held, owedAtMark, lent, converted } = solvent.coins.find(
    (row: { coin: string }) => row.coin === 'BTC',
  );
  assert.equal(lent, '0.1');

  // Coin has left that nobody booked: everything beyond what is owed, and half of what is lent.
  leave(units(held) - units(owedAtMark) + units(lent) / 2n);
  assert.match((await ends(0, 'reserves', 'audit')).stdout, /WARNING: not everything that is owed is held/);
  await warns('reserves', /^BTC is illiquid: run "bourse reserves audit"$/);
  assert.equal(await metric('bourse_solvency{state="illiquid"}'), 1);

  // The other half, and what conversions can buy back.
  leave(units(lent) / 2n + units(converted));
  await ends(0, 'reserves', 'audit');
  leave(1n);
  for (let starts = 0; starts < 2; starts++) {
    assert.match((await ends(4, 'reserves', 'audit')).stdout, /INSOLVENT/);
    assert.match((await ends(4, 'reserves', 'audit', '--json')).stdout, /"solvency":"insolvent"/);
    await warns('reserves', /^BTC is insolvent: run "bourse reserves audit"$/);
    assert.equal(await metric('bourse_solvency{state="insolvent"}'), 1);
    assert.match((await ends(0, 'exposure')).stdout, /BTC is insolvent/);
    if (starts > 0) continue;
    await exchange.stop();
    await start();
  }
});

const units = (text: string) => parseUnits(text, MONEY_SCALE)!;

/** Takes BTC out of custody without a command. */
function leave(amount: bigint): void {
  const { ledger, coinByName } = exchange.sequencer.state;
  const cell = (account: number) => ledger.cell(account, coinByName.get('BTC')!, Bucket.cash);
  ledger.move(cell(SystemAccount.interest), cell(SystemAccount.external), amount);
}

/** A column of the trial balance of BTC. */
async function balanceRow(column: string): Promise<string> {
  const { balanced, coins } = await admin('/admin/books');
  assert.ok(balanced);
  return coins.find((row: { coin: string }) => row.coin === 'BTC')[column];
}
