/** Every action of the operator, through the command line, in the audit log, in the command log and after a restart. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAuditReference } from '../../src/admin/audit-reference.ts';
import { loggedCommands } from '../../src/app/data/logged-commands.ts';
import { endVenues, limitOrder, Venue } from './venue-process.ts';

const PLACE = '/api/v3/trade/place-order';
const venue = new Venue();

before(() => venue.start());
after(endVenues);

test('accounts of all kinds are opened and listed', async () => {
  const { account, command } = await venue.ask(
    'account',
    'create',
    'alice',
    '--by',
    'olga',
    '--note',
    'first',
  );
  assert.deepEqual(
    [account.name, account.kind, account.frozen, account.open],
    ['alice', 'main', false, true],
  );
  assert.ok(command > 0);
  await venue.ask('account', 'create', 'bob');
  const sub = await venue.ask('account', 'create', 'desk', '--kind', 'sub', '--master', 'alice');
  assert.equal(sub.account.master, account.uid);
  await venue.ask('account', 'create', 'acme', '--kind', 'broker');
  const maker = await venue.ask('account', 'create', 'quoter', '--market-maker');
  assert.equal(maker.account.marketMaker, true);
  const { accounts } = await venue.ask('account', 'list');
  assert.deepEqual(
    accounts.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`),
    ['alice main', 'bob main', 'desk sub', 'acme broker', 'quoter main'],
  );
  await venue.refused(1, /taken/, 'account', 'create', 'alice');
  await venue.refused(
    1,
    /then make it a market maker/,
    ...['account', 'create', 'x', '--kind', 'sub', '--master', 'alice', '--market-maker'],
  );
  await venue.refused(1, /needs its master/, 'account', 'create', 'x', '--kind', 'sub');
  await venue.refused(
    1,
    /there is no account "nobody"/,
    'account',
    'create',
    'x',
    '--kind',
    'sub',
    '--master',
    'nobody',
  );
});

test('a broker and a market maker can be made and unmade', async () => {
  for (const on of ['on', 'off']) {
    assert.equal(
      (await venue.ask('account', 'broker', 'bob', on)).account.kind,
      on === 'on' ? 'broker' : 'main',
    );
    const { account } = await venue.ask('account', 'market-maker', 'bob', on);
    assert.equal(account.marketMaker, on === 'on');
  }
  await venue.refused(2, /must be on or off/, 'account', 'broker', 'bob', 'maybe');
});

test('a key works until it is deleted, and a frozen account is shut out at once', async () => {
  const client = await venue.client('alice', '--label', 'bot');
  const { keys } = await venue.ask('key', 'list', 'alice');
  assert.deepEqual([keys.length, keys[0].label], [1, 'bot']);
  assert.equal((await client.get('/api/v3/account/assets')).code, '00000');
  assert.equal((await venue.ask('account', 'freeze', 'alice')).account.frozen, true);
  assert.notEqual((await client.get('/api/v3/account/assets')).code, '00000');
  assert.equal((await venue.ask('account', 'unfreeze', 'alice')).account.frozen, false);
  assert.equal((await client.get('/api/v3/account/assets')).code, '00000');
  await venue.ask('key', 'delete', keys[0].apiKey);
  assert.notEqual((await client.get('/api/v3/account/assets')).code, '00000');
  await venue.refused(1, /no such API key/, 'key', 'delete', keys[0].apiKey);
  await venue.refused(
    1,
    /permType read_write/,
    'key',
    'create',
    'alice',
    '--permissions',
    'withdraw',
    '--read-only',
  );
  client.close();
});

test('a sub-account is named after its main account, and never by its own name alone', async () => {
  const { account: desk } = await venue.ask('account', 'show', 'alice/desk');
  assert.deepEqual([desk.name, desk.kind], ['desk', 'sub']);
  assert.deepEqual((await venue.ask('account', 'show', `${desk.master}/desk`)).account, desk);
  assert.equal((await venue.ask('account', 'freeze', 'alice/desk')).account.frozen, true);
  assert.equal((await venue.ask('account', 'unfreeze', 'alice/desk')).account.uid, desk.uid);
  const paid = await venue.ask('deposit', 'alice/desk', '1', 'USDT', '--reference', 'to-the-desk');
  assert.equal(paid.uid, desk.uid);
  // Its owner chose the name: money for a client of that name would be his.
  const told = new RegExp(`no account "desk"; a sub-account is named .*: "alice/desk" \\(${desk.uid}\\)`);
  await venue.refused(1, told, 'deposit', 'desk', '1', 'USDT', '--reference', 'y');
  await venue.refused(1, /no account "bob\/desk"/, 'account', 'show', 'bob/desk');
  // Two readings of one text are none.
  await venue.ask('account', 'create', 'alice/desk/a');
  await venue.ask('account', 'create', 'b', '--kind', 'sub', '--master', 'alice/desk/a');
  await venue.ask('account', 'create', 'desk/a/b', '--kind', 'sub', '--master', 'alice');
  await venue.refused(1, /may mean \d+, \d+: give the uid/, 'account', 'show', 'alice/desk/a/b');
});

test('a deposit is credited to the wallet named, and its retry is not', async () => {
  const deposit = ['deposit', 'alice', '100000', 'USDT', '--reference', 'tx-1'];
  const first = await venue.ask(...deposit);
  assert.deepEqual([first.amount, first.wallet], ['100000', 'unified']);
  await venue.refused(1, /deposit tx-1 was credited before/, ...deposit);
  await venue.refused(1, /tx-1 was credited before/, ...deposit, '--wallet', 'funding');
  await venue.ask('deposit', 'alice', '2.5', 'BTC', '--reference', 'tx-1', '--wallet', 'funding');
  await venue.ask('deposit', 'bob', '3', 'BTC', '--reference', 'tx-1');
  const { balances } = await venue.ask('account', 'show', 'alice');
  assert.deepEqual(balances.map((b: Record<string, string>) => [b.coin, b.unified, b.funding]).sort(), [
    ['BTC', '0', '2.5'],
    ['USDT', '100000', '0'],
  ]);
  await venue.refused(1, /"nobody"/, 'deposit', 'nobody', '1', 'USDT', '--reference', 'x');
  await venue.refused(1, /Did you mean USDT\?/, 'deposit', 'alice', '1', 'USDTT', '--reference', 'x');
  await venue.refused(1, /decimal/, 'deposit', 'alice', '1e9', 'USDT', '--reference', 'x');
  await venue.refused(1, /8 decimal places/, 'deposit', 'alice', '0.000000001', 'USDT', '--reference', 'x');
  await venue.refused(1, /above zero/, 'deposit', 'alice', '0', 'USDT', '--reference', 'x');
  const negative = { account: 'alice', coin: 'USDT', amount: '-1', reference: 'x' };
  assert.equal((await venue.admin('POST', '/admin/deposits', negative)).status, 400);
  await venue.refused(2, /--reference/, 'deposit', 'alice', '1', 'USDT');
});

test('deposits with one reference that arrive together credit once', async () => {
  const body = { account: 'bob', coin: 'ETH', amount: '7', reference: 'together' };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => venue.admin('POST', '/admin/deposits', body)),
  );
  const statuses = answers.map(({ status }) => String(status)).sort();
  assert.deepEqual(statuses, ['200', ...Array.from({ length: 7 }, () => '409')]);
  const { balances } = await venue.ask('account', 'show', 'bob');
  assert.equal(balances.find((b: { coin: string }) => b.coin === 'ETH').unified, '7');
});

test('a withdrawal is settled once or refused once', async () => {
  const client = await venue.client('alice', '--permissions', 'uta_trade,uta_mgt,withdraw');
  const asked = async (size: string) =>
    client.post('/api/v3/account/withdrawal', {
      coin: 'USDT',
      transferType: 'on_chain',
      address: 'TXaddress11111111111111111111111111',
      chain: 'TRC20',
      size,
    });
  for (const size of ['500', '300']) {
    const reply = await asked(size);
    assert.equal(reply.code, '00000', reply.text);
  }
  const { withdrawals } = await venue.ask('withdrawal', 'list');
  assert.equal(withdrawals.length, 2);
  const [paid, back] = withdrawals;
  const settle = ['withdrawal', 'settle', paid.id, '--tx', '0xabc'];
  assert.equal((await venue.ask(...settle)).outcome, 'settled');
  await venue.refused(1, /no pending withdrawal/, ...settle);
  await venue.refused(1, /no pending withdrawal/, 'withdrawal', 'refuse', paid.id, '--reason', 'late');
  assert.equal((await venue.ask('withdrawal', 'refuse', back.id, '--reason', 'no')).outcome, 'refused');
  await venue.refused(1, /no pending withdrawal/, 'withdrawal', 'settle', back.id, '--tx', '0xdef');
  assert.deepEqual((await venue.ask('withdrawal', 'list')).withdrawals, []);
  const { balances } = await venue.ask('account', 'show', 'alice');
  const usdt = balances.find((b: { coin: string }) => b.coin === 'USDT');
  assert.deepEqual([usdt.withdrawing, Number(usdt.unified)], ['0', 100000 - Number(paid.amount)]);
  client.close();
});

test('a loan pool is funded once per reference and drained of what is not lent; rates are set', async () => {
  const { pools } = await venue.ask('loan', 'pools');
  assert.equal(pools.length, 12);
  assert.ok(pools.every(({ free, lent }: { free: string; lent: string }) => free === '0' && lent === '0'));
  const fund = ['loan', 'fund', '2500.5', 'USDT', '--reference', 'treasury-1'];
  assert.equal((await venue.ask(...fund)).pool.free, '2500.5');
  await venue.refused(1, /treasury-1 was booked for this pool before/, ...fund);
  const drain = (amount: string) => ['loan', 'drain', amount, 'USDT', '--reference', `out-${amount}`];
  await venue.refused(1, /only 2500.5 USDT of the pool are not lent/, ...drain('2500.6'));
  assert.equal((await venue.ask(...drain('500.5'))).pool.free, '2000');
  await venue.refused(1, /Did you mean DOGE\?/, 'loan', 'fund', '1', 'DOGF', '--reference', 'x');
  await venue.refused(1, /must be above zero/, 'loan', 'fund', '0', 'USDT', '--reference', 'x');
  assert.equal((await venue.ask('loan', 'rate', 'USDT', 'SEVEN', '0.06')).pool.sevenDayRate, '0.06');
  await venue.refused(1, /sevenDayRate must be from 0 to below 1/, 'loan', 'rate', 'USDT', 'SEVEN', '6');
  await venue.refused(1, /USD cannot be borrowed here/, 'loan', 'rate', 'USD', 'SEVEN', '0.06');
  await venue.refused(1, /term/, 'loan', 'rate', 'USDT', 'FOREVER', '0.06');
});

test('limits of a coin are shown and set one by one', async () => {
  const limits = async (coin: string) =>
    (await venue.ask('coin', 'limits')).coins.find((row: { coin: string }) => row.coin === coin);
  const unset = { coin: 'BTC', houseShortUsd: '10000', lendShare: '0.5', insuranceFloor: '0' };
  assert.deepEqual(await limits('BTC'), unset);
  const { coin, command } = await venue.ask('coin', 'set', 'BTC', '--lend-share', '0.4');
  assert.deepEqual([coin, command > 0], [{ ...unset, lendShare: '0.4' }, true]);
  await venue.ask('coin', 'set', 'BTC', '--house-short-usd', '50000', '--insurance-floor', '2');
  const all = { coin: 'BTC', houseShortUsd: '50000', lendShare: '0.4', insuranceFloor: '2' };
  assert.deepEqual(await limits('BTC'), all);
  await venue.refused(1, /give at least one limit/, 'coin', 'set', 'BTC');
  await venue.refused(1, /from 0 to 1/, 'coin', 'set', 'BTC', '--lend-share', '1.1');
  await venue.refused(1, /zero or more/, 'coin', 'set', 'BTC', '--insurance-floor', '-1');
  await venue.refused(1, /USD is not lent/, 'coin', 'set', 'USD', '--lend-share', '0.5');
  await venue.refused(1, /Did you mean DOGE\?/, 'coin', 'set', 'DOGF', '--lend-share', '0.5');
});

test('R7 (d): an insurance fund is funded once per reference and drained; a debt that does not exist is not written off', async () => {
  assert.deepEqual((await venue.ask('insurance', 'show')).funds, []);
  const fund = ['insurance', 'fund', '1000', 'USDT', '--of', 'lending', '--reference', 'treasury-2'];
  const { balance, left } = (await venue.ask(...fund)).fund;
  assert.deepEqual([balance, left], ['1000', '600']);
  await venue.refused(1, /treasury-2 was booked for this fund before/, ...fund);
  await venue.ask('insurance', 'fund', '50', 'USDT', '--reference', 'treasury-2');
  const drain = (amount: string) => ['insurance', 'drain', amount, 'USDT', '--reference', `off-${amount}`];
  await venue.refused(1, /only 50 USDT of the fund are above its floor/, ...drain('51'));
  assert.equal((await venue.ask(...drain('20'))).fund.balance, '30');
  const usdt = (await venue.ask('trial-balance')).coins.find((row: { coin: string }) => row.coin === 'USDT');
  assert.deepEqual([usdt.insuranceLending, usdt.badDebt, usdt.writtenOff], ['1000', '0', '0']);
  await venue.refused(1, /the account owes nothing/, 'insurance', 'write-off', 'alice');
  assert.equal((await venue.ask('reserves', 'audit')).solvency, 'solvent');
});

test('a halt refuses orders with 25106 and lets them be cancelled; a resume takes them again', async () => {
  const client = await venue.client('alice');
  const resting = await client.post(PLACE, limitOrder('buy', '59000', '0.01'));
  assert.equal(resting.code, '00000', resting.text);
  assert.equal((await venue.ask('halt')).halted, true);
  assert.equal((await venue.ask('health')).halted, true);
  assert.equal((await client.post(PLACE, limitOrder('buy', '59000', '0.01'))).code, '25106');
  const { orderId } = resting.data;
  assert.equal((await client.post('/api/v3/trade/cancel-order', { orderId })).code, '00000');
  assert.equal((await venue.ask('resume')).halted, false);
  const again = await client.post(PLACE, limitOrder('buy', '59000', '0.01'));
  assert.equal(again.code, '00000');
  await client.post('/api/v3/trade/cancel-order', { orderId: again.data.orderId });
  client.close();
});

test('fees that were set apply to the next fill exactly', async () => {
  const alice = await venue.client('alice');
  const bob = await venue.client('bob');
  const trade = async () => {
    await bob.post(PLACE, limitOrder('sell', '60000', '0.1'));
    const bought = await alice.post(PLACE, limitOrder('buy', '60000', '0.1'));
    const { orderId } = bought.data;
    const fills = await alice.get('/api/v3/trade/fills', { category: 'SPOT', orderId });
    const made = await bob.get('/api/v3/trade/fills', { category: 'SPOT', limit: '1' });
    return [fills, made].map(({ data }) => data.list[0].feeDetail[0]);
  };
  const [before, beforeMaker] = await trade();
  // 0.001 of what is received: 0.1 BTC and 6,000 USDT.
  assert.deepEqual([before.fee, beforeMaker.fee], ['0.0001', '6']);
  await venue.ask('fees', 'set', 'alice', 'BTCUSDT', '--maker', '0.0002', '--taker', '0.00035');
  await venue.ask('fees', 'set', 'bob', 'BTCUSDT', '--maker', '-0.0001', '--taker', '0.0005');
  const [taker, maker] = await trade();
  assert.deepEqual([taker.fee, maker.fee], ['0.000035', '-0.6']);
  await venue.refused(1, /below 10 %/, 'fees', 'set', 'bob', 'BTCUSDT', '--maker', '0.2', '--taker', '0');
  await venue.refused(
    1,
    /Did you mean BTCUSDT\?/,
    'fees',
    'set',
    'bob',
    'BTCUSD',
    '--maker',
    '0',
    '--taker',
    '0',
  );
  alice.close();
  bob.close();
});

test('an instrument changes status, and new coins and instruments are listed from a file', async () => {
  const client = await venue.client('bob');
  assert.equal((await venue.ask('instrument', 'status', 'BTCUSDT', 'offline')).instrument.status, 'offline');
  assert.equal((await client.post(PLACE, limitOrder('buy', '59000', '0.01'))).code, '25102');
  await venue.ask('instrument', 'status', 'BTCUSDT', 'online');
  await venue.refused(2, /Did you mean (online|offline)\?/, 'instrument', 'status', 'BTCUSDT', 'ofline');
  await venue.refused(1, /Did you mean BTCUSDT\?/, 'instrument', 'status', 'BTCUSD', 'offline');

  const catalogue = (file: string) =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../../catalogue', file), 'utf8'));
  const coin = { ...catalogue('coins.json')[0], coin: 'NEWC', name: 'New Coin' };
  const pair = { ...catalogue('spot.json')[0], symbol: 'NEWCUSDT', baseCoin: 'NEWC' };
  const file = join(venue.data, '..', 'new.json');
  writeFileSync(file, JSON.stringify([coin, pair]));
  assert.deepEqual((await venue.ask('instrument', 'add', file)).added, ['NEWC', 'SPOT NEWCUSDT']);
  await venue.refused(1, /NEWC is listed/, 'instrument', 'add', file);
  writeFileSync(file, JSON.stringify({ ...pair, symbol: 'OTHER', pricePrecison: '2' }));
  await venue.refused(1, /pricePrecison is not a known field/, 'instrument', 'add', file);
  await venue.refused(2, /cannot be read/, 'instrument', 'add', 'missing.json');
  const order = { ...limitOrder('buy', pair.openingPrice, '0.01'), symbol: 'NEWCUSDT' };
  await venue.ask('deposit', 'bob', '5000', 'USDT', '--reference', 'for NEWC');
  const placed = await client.post(PLACE, order);
  assert.equal(placed.code, '00000', placed.text);
  await client.post('/api/v3/trade/cancel-order', { orderId: placed.data.orderId });
  client.close();
});

test('positions are closed by force only on a demo', async () => {
  await venue.refused(
    1,
    /only on a demo: this exchange was started with --no-demo/,
    'force',
    'liquidation',
    'alice',
  );
  await venue.refused(1, /only on a demo/, 'force', 'deleveraging', 'alice', 'USDT-FUTURES', 'BTCUSDT');
  await venue.refused(1, /only on a demo/, 'force', 'funding', 'USDT-FUTURES', 'BTCUSDT');
});

test('a price that is set reaches every component of the index, and the index with the clock', async () => {
  const { index, command } = await venue.ask('price', 'set', 'BTCUSDT', '60000.5');
  assert.ok(command > 0);
  assert.equal(index.components.length, 5);
  assert.ok(index.components.every(({ price }: { price: string }) => price === '60000.5'));
  const found = async () => {
    const { indices } = await venue.ask('price', 'list');
    return indices.find((each: { index: string }) => each.index === 'BTCUSDT');
  };
  while ((await found()).price !== '60000.5') await sleep(100);
  const { stale, thin, reported, components } = await found();
  assert.deepEqual([stale, thin, typeof reported], [false, false, 'number']);
  assert.deepEqual(components[0].source, 'hand');
  assert.equal(components[0].live, true);
  await venue.refused(1, /there is no index "XXXUSDT"/, 'price', 'set', 'XXXUSDT', '1');
  await venue.refused(1, /above zero/, 'price', 'set', 'BTCUSDT', '0');
});

test('the key-encryption key is rotated under keys in use', async () => {
  const client = await venue.client('bob');
  const { resealed } = await venue.ask('identity', 'rotate-kek');
  assert.ok(resealed > 0);
  assert.equal((await client.get('/api/v3/account/assets')).code, '00000');
  client.close();
});

test('the books sum to zero per coin, and every command is audited in both logs', async () => {
  const { balanced, coins } = await venue.ask('trial-balance');
  assert.equal(balanced, true);
  for (const { coin, total } of coins) assert.equal(total, '0', coin);
  const usdt = coins.find((row: { coin: string }) => row.coin === 'USDT');
  assert.ok(Number(usdt.users) > 0 && Number(usdt.external) < 0 && Number(usdt.house) > 0);

  const lines = venue.audit();
  const done = new Set(lines.filter(({ outcome }) => outcome === 'done').map(({ action }) => action));
  for (const action of [
    'account.create',
    'account.freeze',
    'account.unfreeze',
    'account.broker',
    'account.marketMaker',
    'key.create',
    'key.delete',
    'deposit',
    'withdrawal.settle',
    'withdrawal.refuse',
    'loanPool.fund',
    'loanPool.drain',
    'insurance.fund',
    'insurance.drain',
    'loanRate.set',
    'halt',
    'resume',
    'fees.set',
    'instrument.status',
    'instrument.add',
    'coin.add',
    'coin.limits',
    'identity.rotateKek',
  ]) {
    assert.ok(done.has(action), `${action} is not in the audit log`);
  }
  assert.equal(lines.find(({ action }) => action === 'account.create')!.operator, 'olga');
  const byCommand = new Map(
    lines.filter(({ command }) => command !== null).map((line) => [line.command, line]),
  );
  let audited = 0;
  for (const { seq, command } of loggedCommands(venue.data)) {
    const signature = readAuditReference(command);
    if (signature === undefined) continue;
    const line = byCommand.get(seq);
    assert.ok(line, `command ${seq} has no audit line`);
    assert.deepEqual([line.of, line.operator], [signature.line, signature.operator]);
    audited += 1;
  }
  assert.equal(audited, byCommand.size);
  const text = readFileSync(join(venue.data, 'audit.log'), 'utf8');
  assert.doesNotMatch(text, /secretKey|passphrase/);
});

test('everything is there after a snapshot and a restart', async () => {
  const instruments = async () => {
    const listed = await venue.ask('instrument', 'list');
    // The predicted rate moves with the clock, which runs on between the two looks.
    return listed.instruments.map((each: object) => ({ ...each, fundingRate: '' }));
  };
  const look = async () => [
    await venue.ask('account', 'list'),
    await venue.ask('account', 'show', 'alice'),
    await venue.ask('account', 'show', 'bob'),
    await venue.ask('key', 'list', 'bob'),
    await instruments(),
    await venue.ask('coin', 'limits'),
    await venue.ask('trial-balance'),
  ];
  // The last use of a key is written now and then only, and a list brings it up to date.
  await venue.ask('key', 'list', 'bob');
  const before = await look();
  assert.ok((await venue.ask('snapshot')).seq > 0);
  await venue.ask('halt');
  await venue.restart();
  assert.deepEqual(await look(), before);
  assert.equal((await venue.ask('health')).halted, true);
  await venue.refused(
    1,
    /tx-1 was credited before/,
    'deposit',
    'alice',
    '100000',
    'USDT',
    '--reference',
    'tx-1',
  );
  await venue.ask('resume');
  const verified = await venue.ask('audit', 'verify');
  assert.equal(verified.ok, true);
  assert.ok(verified.commands > 15);
});
