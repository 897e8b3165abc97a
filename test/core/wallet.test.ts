/** Money between wallets and accounts, and out of the venue (rules 4.1, 4.2). */
import { deepEqual, equal, notEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Wallet } from '../../src/core/model/enums.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import { balances, pendingWithdrawal } from '../../src/core/reads/reads.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { moveUnchecked } from './dsl/unchecked-move.ts';
import { refusalName } from './dsl/words.ts';
import { openFloor, TradingFloor } from './trading-floor.ts';

const refusalOf = ({ rejectReason }: CommandResult) => refusalName(rejectReason);

/** Ann with two sub-accounts, and bob who is a stranger to them. */
function family(): TradingFloor {
  const floor = new TradingFloor();
  floor.trader('ann', { USDT: '1000' });
  floor.trader('son', { USDT: '100' }, { master: 'ann' });
  floor.trader('daughter', { USDT: '10' }, { master: 'ann' });
  floor.trader('bob', { USDT: '500' });
  return floor;
}

function holdings(floor: TradingFloor, ...names: string[]): string[] {
  return names.map((name) => `${floor.funding(name, 'USDT')}+${floor.cash(name, 'USDT')}`);
}

// Within an account

test('money moves from the unified account to the funding wallet and back, with a line at each end', () => {
  const floor = family();
  equal(floor.transfer('ann uta', 'ann spot', '400', 'USDT'), 'none');
  equal(floor.transfer('ann spot', 'ann uta', '150.00000001', 'USDT'), 'none');
  deepEqual(holdings(floor, 'ann'), ['249.99999999+750.00000001']);
  deepEqual(floor.lines('ann').slice(1), [
    'transferOut -400 fee 0 USDT = 600',
    'transferIn 400 fee 0 USDT = 400 in spot',
    'transferOut -150.00000001 fee 0 USDT = 249.99999999 in spot',
    'transferIn 150.00000001 fee 0 USDT = 750.00000001',
  ]);
  equal(floor.eventsOf('transfer').length, 2);
});

test('a wallet gives all it has and not a unit more', () => {
  const floor = family();
  const short = floor.send({
    type: 'transfer',
    time: floor.now,
    initiatorUid: floor.uid('ann'),
    fromUid: floor.uid('ann'),
    toUid: floor.uid('ann'),
    fromWallet: 0,
    toWallet: 1,
    coin: 0,
    amount: 100_000_000_001n,
    clientOid: '',
  });
  deepEqual([refusalOf(short), short.available], ['insufficientBalance', 100_000_000_000n]);
  equal(floor.transfer('ann uta', 'ann spot', '1000', 'USDT'), 'none');
  deepEqual(holdings(floor, 'ann'), ['1000+0']);
});

test('case 80: what orders hold can neither be transferred nor withdrawn', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '60000' });
  const order = floor.buy('ann', '1', '59000');
  equal(floor.transfer('ann uta', 'ann spot', '1000.00000001', 'USDT'), 'insufficientBalance');
  equal(refusalOf(floor.requestWithdrawal('ann', '1000.00000001', 'USDT')), 'insufficientBalance');
  equal(floor.transfer('ann uta', 'ann spot', '1000', 'USDT'), 'none');
  floor.cancel('ann', order);
  equal(floor.transfer('ann uta', 'ann spot', '59000', 'USDT'), 'none');
});

test('money in the funding wallet cannot be traded', () => {
  const floor = openFloor();
  floor.trader('ann');
  floor.fund('ann', '60000', 'USDT');
  equal(floor.buy('ann', '1', '60000').stands, 'refused insufficientBalance');
  floor.transfer('ann spot', 'ann uta', '60000', 'USDT');
  equal(floor.buy('ann', '1', '60000').stands, 'new 0/1');
});

test('a transfer from a wallet to itself, of nothing, of less or of too much is refused', () => {
  const floor = family();
  equal(floor.transfer('ann uta', 'ann uta', '1', 'USDT'), 'sameWallet');
  equal(floor.transfer('ann spot', 'ann spot', '1', 'USDT'), 'sameWallet');
  for (const amount of ['0', '-1', '10000000000000000000001'])
    equal(floor.transfer('ann uta', 'ann spot', amount, 'USDT'), 'amountOutOfRange');
});

// Between accounts of one owner

test('a main account moves money down to a sub-account, up from it and across', () => {
  const floor = family();
  equal(floor.transfer('ann uta', 'son spot', '200', 'USDT'), 'none');
  equal(floor.transfer('son uta', 'ann uta', '50', 'USDT', { by: 'ann' }), 'none');
  equal(floor.transfer('son spot', 'daughter uta', '120', 'USDT', { by: 'ann' }), 'none');
  deepEqual(holdings(floor, 'ann', 'son', 'daughter'), ['0+850', '80+50', '0+130']);
  deepEqual(
    floor.eventsOf('transfer').map(({ initiatorUid }) => initiatorUid),
    [floor.uid('ann'), floor.uid('ann'), floor.uid('ann')],
  );
});

test('a sub-account sends to its main account, and to nobody else', () => {
  const floor = family();
  equal(floor.transfer('son uta', 'ann spot', '30', 'USDT'), 'none');
  equal(floor.transfer('son uta', 'son spot', '30', 'USDT'), 'none');
  equal(floor.transfer('son uta', 'daughter uta', '1', 'USDT'), 'notOneParty');
  equal(floor.transfer('son uta', 'bob uta', '1', 'USDT'), 'notOneParty');
  deepEqual(holdings(floor, 'ann', 'son', 'daughter', 'bob'), ['30+1000', '30+40', '0+10', '0+500']);
});

test('a sub-account pulls from nobody: not from a sibling, not from above', () => {
  const floor = family();
  equal(floor.transfer('daughter uta', 'son uta', '1', 'USDT', { by: 'son' }), 'notOneParty');
  equal(floor.transfer('ann uta', 'son uta', '1', 'USDT', { by: 'son' }), 'notOneParty');
  equal(floor.transfer('daughter uta', 'ann uta', '1', 'USDT', { by: 'son' }), 'notOneParty');
});

test('a stranger can neither take nor be given by a transfer', () => {
  const floor = family();
  equal(floor.transfer('ann uta', 'bob uta', '1', 'USDT', { by: 'bob' }), 'notOneParty');
  equal(floor.transfer('son uta', 'bob uta', '1', 'USDT', { by: 'ann' }), 'notOneParty');
  equal(floor.transfer('son uta', 'ann uta', '1', 'USDT', { by: 'bob' }), 'notOneParty');
  deepEqual(holdings(floor, 'ann', 'son', 'bob'), ['0+1000', '0+100', '0+500']);
});

// Client ids

test('a repeated client id moves nothing twice, over a restart as well', () => {
  const floor = family();
  equal(floor.transfer('ann uta', 'ann spot', '10', 'USDT', { clientOid: 'once' }), 'none');
  equal(floor.transfer('ann uta', 'ann spot', '10', 'USDT', { clientOid: 'once' }), 'transferOidInUse');
  floor.restart();
  equal(floor.transfer('ann spot', 'ann uta', '10', 'USDT', { clientOid: 'once' }), 'transferOidInUse');
  equal(refusalOf(floor.requestWithdrawal('ann', '1', 'USDT', { clientOid: 'once' })), 'transferOidInUse');
  equal(refusalOf(floor.pay('ann', 'bob', '1', 'USDT', { clientOid: 'once' })), 'transferOidInUse');
  equal(floor.transfer('bob uta', 'bob spot', '10', 'USDT', { clientOid: 'once' }), 'none');
  deepEqual(holdings(floor, 'ann', 'bob'), ['10+990', '10+490']);
});

test('the client id of a withdrawal is used up as well, also when the withdrawal comes back', () => {
  const floor = family();
  const { orderId } = floor.requestWithdrawal('ann', '10', 'USDT', { clientOid: 'w' });
  floor.pay('ann', 'bob', '1', 'USDT', { clientOid: 'p' });
  floor.endWithdrawal(orderId, { by: 'ann' });
  for (const clientOid of ['w', 'p']) {
    equal(refusalOf(floor.requestWithdrawal('ann', '10', 'USDT', { clientOid })), 'transferOidInUse');
    equal(refusalOf(floor.pay('ann', 'bob', '1', 'USDT', { clientOid })), 'transferOidInUse');
    equal(floor.transfer('ann uta', 'ann spot', '1', 'USDT', { clientOid }), 'transferOidInUse');
  }
  deepEqual(holdings(floor, 'ann', 'bob'), ['0+999', '1+500']);
});

test('a refused transfer does not use up its client id', () => {
  const floor = family();
  equal(floor.transfer('ann spot', 'ann uta', '10', 'USDT', { clientOid: 'a' }), 'insufficientBalance');
  floor.fund('ann', '10', 'USDT');
  equal(floor.transfer('ann spot', 'ann uta', '10', 'USDT', { clientOid: 'a' }), 'none');
});

// Withdrawals

test('a withdrawal request takes the money out of the wallets, funding first, and holds it', () => {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  const { orderId } = floor.requestWithdrawal('ann', '100', 'USDT', { fee: '1.5', clientOid: 'w' });
  deepEqual(holdings(floor, 'ann'), ['0+970']);
  equal(floor.withdrawing('ann', 'USDT'), '100');
  equal(floor.house('ext', 'USDT'), '-1680');
  deepEqual(floor.lines('ann').slice(2), [
    'withdrawal -70 fee 0 USDT = 0 in spot',
    'withdrawal -30 fee 0 USDT = 970',
  ]);
  deepEqual(floor.walletRecords('ann').slice(2), ['withdrawal pending 100 fee 1.5 USDT']);
  equal(pendingWithdrawal(floor.state, floor.uid('ann'), 0, 'w')?.id, orderId);
  equal(pendingWithdrawal(floor.state, floor.uid('bob'), orderId, ''), undefined);
});

test('a withdrawal takes only from the wallets that were named', () => {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  equal(refusalOf(floor.requestWithdrawal('ann', '70.1', 'USDT', { from: ['spot'] })), 'insufficientBalance');
  equal(refusalOf(floor.requestWithdrawal('ann', '60', 'USDT', { from: ['uta'] })), 'none');
  deepEqual(holdings(floor, 'ann'), ['70+940']);
});

test('case 79: a withdrawal of more than there is in both wallets is refused, of all there is it is taken', () => {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  const short = floor.requestWithdrawal('ann', '1070.00000001', 'USDT');
  deepEqual([refusalOf(short), short.available], ['insufficientBalance', 107_000_000_000n]);
  equal(refusalOf(floor.requestWithdrawal('ann', '1070', 'USDT')), 'none');
  equal(refusalOf(floor.requestWithdrawal('ann', '0.00000001', 'USDT')), 'insufficientBalance');
  deepEqual(holdings(floor, 'ann'), ['0+0']);
});

test('what waits to be paid can be neither spent nor asked for again', () => {
  const floor = family();
  floor.requestWithdrawal('ann', '900', 'USDT');
  equal(floor.transfer('ann uta', 'ann spot', '100.00000001', 'USDT'), 'insufficientBalance');
  equal(floor.buy('ann', '0.01', '60000').stands, 'refused insufficientBalance');
  equal(refusalOf(floor.requestWithdrawal('ann', '900', 'USDT')), 'insufficientBalance');
});

test('the owner takes a withdrawal back: each wallet gets what it gave', () => {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  const { orderId } = floor.requestWithdrawal('ann', '100', 'USDT', { fee: '1.5' });
  equal(floor.endWithdrawal(orderId, { by: 'ann' }), 'none');
  deepEqual(holdings(floor, 'ann'), ['70+1000']);
  equal(floor.withdrawing('ann', 'USDT'), '0');
  deepEqual(floor.lines('ann').slice(4), [
    'withdrawalReturned 70 fee 0 USDT = 70 in spot',
    'withdrawalReturned 30 fee 0 USDT = 1000',
  ]);
  deepEqual(floor.walletRecords('ann').slice(3), ['withdrawal fail 100 fee 1.5 USDT']);
});

test('the operator pays: the net amount leaves the venue, the fee goes to the house', () => {
  const floor = family();
  const { orderId } = floor.requestWithdrawal('ann', '100', 'USDT', { fee: '1.5' });
  equal(floor.endWithdrawal(orderId, { paid: true }), 'none');
  deepEqual(holdings(floor, 'ann'), ['0+900']);
  equal(floor.withdrawing('ann', 'USDT'), '0');
  equal(floor.house('sys:fee', 'USDT'), '1.5');
  // 1610 came in, 98.5 left.
  equal(floor.house('ext', 'USDT'), '-1511.5');
  equal(floor.lines('ann').length, 2);
  deepEqual(floor.walletRecords('ann').slice(2), ['withdrawal success 100 fee 1.5 USDT']);
});

test('the operator refuses: the money is back, the house gets nothing', () => {
  const floor = family();
  const { orderId } = floor.requestWithdrawal('ann', '100', 'USDT', { fee: '1.5' });
  equal(floor.endWithdrawal(orderId), 'none');
  deepEqual(holdings(floor, 'ann'), ['0+1000']);
  equal(floor.house('sys:fee', 'USDT'), '0');
});

test('a withdrawal ends once, whoever comes first', () => {
  for (const first of [{ paid: true }, { paid: false }, { by: 'ann' }]) {
    const floor = family();
    const { orderId } = floor.requestWithdrawal('ann', '100', 'USDT');
    equal(floor.endWithdrawal(orderId, first), 'none');
    const after = holdings(floor, 'ann');
    for (const second of [{ paid: true }, { paid: false }, { by: 'ann' }])
      equal(floor.endWithdrawal(orderId, second), 'unknownWithdrawal');
    deepEqual(holdings(floor, 'ann'), after);
  }
});

test('nobody ends the withdrawal of another, and no owner pays out its own', () => {
  const floor = family();
  const { orderId } = floor.requestWithdrawal('son', '100', 'USDT');
  for (const by of ['bob', 'daughter', 'ann'])
    equal(floor.endWithdrawal(orderId, { by }), 'unknownWithdrawal');
  equal(floor.endWithdrawal(orderId, { by: 'son', paid: true }), 'unknownWithdrawal');
  equal(floor.endWithdrawal(orderId + 1), 'unknownWithdrawal');
  equal(floor.withdrawing('son', 'USDT'), '100');
});

test('a fee that leaves nothing to pay out is refused', () => {
  const floor = family();
  equal(refusalOf(floor.requestWithdrawal('ann', '1.5', 'USDT', { fee: '1.5' })), 'feeAboveAmount');
  equal(refusalOf(floor.requestWithdrawal('ann', '1.5', 'USDT', { fee: '-1' })), 'feeAboveAmount');
  equal(refusalOf(floor.requestWithdrawal('ann', '1.50000001', 'USDT', { fee: '1.5' })), 'none');
});

test('a withdrawal to another account arrives at once in its funding wallet, whoever owns it', () => {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  const { orderId } = floor.pay('ann', 'bob', '100', 'USDT');
  notEqual(orderId, 0);
  deepEqual(holdings(floor, 'ann', 'bob'), ['0+970', '100+500']);
  equal(floor.withdrawing('ann', 'USDT'), '0');
  deepEqual(floor.lines('ann').slice(2), [
    'withdrawal -70 fee 0 USDT = 0 in spot',
    'withdrawal -30 fee 0 USDT = 970',
  ]);
  deepEqual(floor.lines('bob').slice(1), ['deposit 100 fee 0 USDT = 100 in spot']);
  deepEqual(floor.walletRecords('ann').slice(2), ['withdrawal success 100 fee 0 USDT']);
  deepEqual(floor.walletRecords('bob').slice(1), ['deposit success 100 fee 0 USDT']);
  equal(floor.endWithdrawal(orderId), 'unknownWithdrawal');
});

test('deposits arrive in the wallet that their owner has chosen for the coin, until the next choice', () => {
  const floor = family();
  floor.receive('bob', '1', 'USDT');
  deepEqual(holdings(floor, 'bob'), ['0+501']);
  equal(floor.chooseDeposits('bob', 'USDT', Wallet.funding), 'none');
  floor.receive('bob', '2', 'USDT');
  floor.receive('bob', '3', 'BTC');
  floor.receive('ann', '4', 'USDT');
  deepEqual(holdings(floor, 'bob', 'ann'), ['2+501', '0+1004']);
  deepEqual([floor.funding('bob', 'BTC'), floor.cash('bob', 'BTC')], ['0', '3']);
  floor.deposit('bob', '5', 'USDT');
  deepEqual(holdings(floor, 'bob'), ['2+506'], 'a deposit that names its wallet goes there');
  equal(floor.chooseDeposits('bob', 'USDT', Wallet.unified), 'none');
  floor.pay('ann', 'bob', '100', 'USDT');
  deepEqual(holdings(floor, 'bob'), ['2+606'], 'what another account pays is a deposit too');
  deepEqual(floor.lines('bob').slice(-1), ['deposit 100 fee 0 USDT = 606']);
  const unlisted = { type: 'setDepositWallet', time: floor.now, uid: floor.uid('bob'), coin: 99 } as const;
  equal(refusalOf(floor.send({ ...unlisted, wallet: Wallet.funding })), 'unknownCoin');
  equal(refusalOf(floor.send({ ...unlisted, uid: 77, wallet: Wallet.funding })), 'unknownAccount');
});

test('a withdrawal to oneself, to nobody or of more than there is moves nothing', () => {
  const floor = family();
  equal(refusalOf(floor.pay('ann', 'ann', '1', 'USDT')), 'sameWallet');
  equal(refusalOf(floor.pay('ann', 'bob', '1000.00000001', 'USDT')), 'insufficientBalance');
  const toNobody = { type: 'internalWithdrawal', time: floor.now, uid: floor.uid('ann'), toUid: 77 } as const;
  const rest = { coin: 0, amount: 1n, fromFunding: true, fromUnified: true, clientOid: '' };
  equal(refusalOf(floor.send({ ...toNobody, ...rest })), 'unknownAccount');
  deepEqual(holdings(floor, 'ann', 'bob'), ['0+1000', '0+500']);
});

test('a refusal opens no row in the books of a coin that was never held', () => {
  const floor = family();
  const before = floor.image().length;
  equal(floor.transfer('ann uta', 'ann spot', '1', 'ETH'), 'insufficientBalance');
  equal(refusalOf(floor.requestWithdrawal('ann', '1', 'ETH')), 'insufficientBalance');
  equal(refusalOf(floor.pay('ann', 'bob', '1', 'ETH')), 'insufficientBalance');
  equal(floor.withdraw('ann', '1', 'ETH'), 'insufficientBalance');
  deepEqual(
    balances(floor.state, floor.uid('ann')).map(({ coin }) => coin),
    [0],
  );
  equal(floor.image().length, before);
});

// Snapshots and replay

/** Everything of the above, one withdrawal in every state. */
function busyTreasury(): TradingFloor {
  const floor = family();
  floor.fund('ann', '70', 'USDT');
  floor.transfer('ann uta', 'son spot', '200', 'USDT', { clientOid: 'down' });
  const paid = floor.requestWithdrawal('ann', '100', 'USDT', { fee: '1.5', clientOid: 'paid' });
  const kept = floor.requestWithdrawal('son', '120', 'USDT', { fee: '1', clientOid: 'kept' });
  const refused = floor.requestWithdrawal('bob', '10', 'USDT', { from: ['uta'] });
  floor.wait(60_000);
  floor.endWithdrawal(paid.orderId, { paid: true });
  floor.endWithdrawal(refused.orderId);
  floor.pay('bob', 'daughter', '33.33333333', 'USDT', { clientOid: 'gift' });
  floor.transfer('daughter spot', 'ann uta', '3', 'USDT', { by: 'ann' });
  floor.endWithdrawal(kept.orderId, { by: 'bob' });
  floor.chooseDeposits('son', 'USDT', Wallet.funding);
  floor.receive('son', '9', 'USDT');
  return floor;
}

test('a pending withdrawal survives a restart: it is held, can be taken back, and only once', () => {
  const floor = busyTreasury();
  const pending = pendingWithdrawal(floor.state, floor.uid('son'), 0, 'kept')!;
  const before = holdings(floor, 'ann', 'son', 'daughter', 'bob');
  floor.restart();
  deepEqual(holdings(floor, 'ann', 'son', 'daughter', 'bob'), before);
  equal(floor.withdrawing('son', 'USDT'), '120');
  deepEqual(pendingWithdrawal(floor.state, floor.uid('son'), pending.id, ''), pending);
  equal(floor.endWithdrawal(pending.id, { by: 'son' }), 'none');
  equal(floor.endWithdrawal(pending.id, { paid: true }), 'unknownWithdrawal');
  equal(floor.withdrawing('son', 'USDT'), '0');
});

test('I40: a replay, and a snapshot after any command with the rest, give the same state', () => {
  const floor = busyTreasury();
  const image = floor.image();
  for (let at = 0; at <= floor.log.length; at++) {
    let exchange = new Exchange();
    for (const [number, bytes] of floor.log.entries()) {
      if (number === at) exchange = new Exchange(loadState(Uint8Array.from(saveState(exchange.state))));
      exchange.apply(decodeCommand(bytes));
      exchange.takeEvents();
    }
    deepEqual(Uint8Array.from(saveState(exchange.state)), image, `snapshot before command ${at}`);
  }
});

test('the digest notices an amount that differs', () => {
  const floor = busyTreasury();
  for (const type of ['transfer', 'requestWithdrawal', 'internalWithdrawal'] as const) {
    const exchange = new Exchange();
    for (const bytes of floor.log) {
      const command = decodeCommand(bytes);
      exchange.apply(command.type === type ? { ...command, amount: command.amount - 1n } : command);
    }
    notEqual(exchange.state.digest.value, floor.state.digest.value, type);
  }
});

test('the invariants see money that is held for no withdrawal, and a funding wallet below zero', () => {
  for (const bucket of [Bucket.withdrawing, Bucket.funding]) {
    const { state } = busyTreasury();
    checkInvariants(state);
    const { index } = [...state.accountByUid.values()].at(-1)!;
    const held = state.ledger.cell(index, 0, bucket);
    const cash = state.ledger.cell(index, 0, Bucket.cash);
    if (bucket === Bucket.withdrawing) state.ledger.move(cash, held, 1n);
    else moveUnchecked(state.ledger, held, cash, state.ledger.balance(held) + 1n);
    throws(() => checkInvariants(state), /I0[34]/);
  }
});
