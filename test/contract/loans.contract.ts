/** Interface 4.6 with its objects (interface 2.12): loan queries. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type ContractVenue, DAY_MS, type Data } from './venue.ts';

const HISTORIES = ['loan/borrow-history', 'loan/pledge-rate-history'] as const;
const LOAN = { loanCoin: 'USDT', pledgeCoin: 'BTC', daily: 'FLEXIBLE' };

export function loans(venue: ContractVenue): void {
  const { bot } = venue;
  const lately = () => ({ startTime: venue.ago(DAY_MS), endTime: venue.ago(-1000) });

  describe('interface 4.6: loans', () => {
    before(() => venue.levelPrices());

    it('interface 2.12, 4.6: a loan, its collateral moved both ways, its debt and its end', async () => {
      const quote = await bot.get('loan/interest', { ...LOAN, pledgeAmount: '0.1' });
      const { orderId } = await bot.post('loan/borrow', { ...LOAN, pledgeAmount: '0.1' });
      const debts = await bot.get('loan/debts');
      assert.deepEqual(
        debts.loanInfos.map(({ coin }: Data) => coin),
        ['USDT'],
        'wire 3.23: the names are meant',
      );
      assert.deepEqual(
        debts.pledgeInfos.map(({ coin, amount, amountUsdt }: Data) => [coin, amount, amountUsdt]),
        [['BTC', '0.1', '6000']],
      );
      // 65 % of the pledge, and the hour that runs.
      const [{ amount: owed, amountUsdt }] = debts.loanInfos;
      assert.equal(quote.loanAmount, '3900');
      assert.equal(owed, `3900.${quote.hourInterest.split('.')[1]}`, 'interface 2.12: amount in coin');
      assert.equal(amountUsdt, Number(owed).toFixed(2), 'a USDT is worth a USDT');
      // Not all of it can go out again: the hour that runs has cost interest.
      const revise = { orderId, pledgeCoin: 'BTC' };
      await bot.post('loan/revise-pledge', { ...revise, amount: '0.01', reviseType: 'IN' });
      await bot.post('loan/revise-pledge', { ...revise, amount: '0.009', reviseType: 'OUT' });
      const revisions = await bot.get('loan/pledge-rate-history', lately());
      assert.deepEqual(
        revisions.map(({ reviseSide }: Data) => reviseSide),
        ['up', 'down'],
      );
      const [up, down] = revisions;
      for (const [record, amount] of [
        [down, '0.01'],
        [up, '0.009'],
      ] as const) {
        const { loanCoin, pledgeCoin, reviseAmount, reviseTime } = record;
        assert.deepEqual(
          [record.orderId, loanCoin, pledgeCoin, reviseAmount, reviseTime],
          [orderId, 'USDT', 'BTC', amount, String(venue.now())],
        );
      }
      assert.deepEqual([down.beforePledgeRate, up.beforePledgeRate], ['65', down.afterPledgeRate]);
      assert.ok(Number(down.afterPledgeRate) < Number(down.beforePledgeRate), 'down: transfer in, decrease');
      assert.ok(Number(up.afterPledgeRate) > Number(up.beforePledgeRate), 'up: transfer out, increase');
      assert.deepEqual(await bot.get('loan/borrow-history', lately()), [], 'an ongoing loan is not history');
      await bot.post('loan/repay', {
        orderId,
        method: 'borrowed_coin',
        repayAll: 'yes',
        repayUnlock: 'yes',
      });
      const history = await bot.get('loan/borrow-history', lately());
      assert.deepEqual(
        history.map((each: Data) => [each.orderId, each.loanCoin, each.pledgeCoin, each.status]),
        [[orderId, 'USDT', 'BTC', 'REPAY']],
      );
      const [{ initPledgeAmount, initLoanAmount, hourRate, daily, pledgeDays, borrowTime }] = history;
      assert.deepEqual(
        [initPledgeAmount, initLoanAmount, daily, pledgeDays, borrowTime],
        ['0.1', '3900', 'FLEXIBLE', '', String(venue.now())],
      );
      const { loanInfos } = await bot.get('loan/coins', { coin: 'USDT' });
      const percent = Number(loanInfos[0].hourRateFlexible) * 100;
      assert.equal(Number(hourRate).toFixed(8), percent.toFixed(8), 'a percentage (rules 7.3)');
    });

    for (const path of HISTORIES) {
      it(`interface 4.6 ${path}: an array, not wrapped in a list; both times are required`, async () => {
        assert.ok(Array.isArray(await bot.get(path, lately())));
        for (const name of ['startTime', 'endTime'] as const) {
          const { [name]: _left, ...rest } = lately();
          const reply = await bot.refusedGet(path, rest);
          assert.deepEqual([reply.code, reply.msg.includes(name)], ['40019', true]);
        }
      });

      it(`interface 4.6 ${path}: filters choose`, async () => {
        const rows = await bot.get(path, lately());
        const { orderId } = rows[0];
        const of = (query: Record<string, string>) => bot.get(path, { ...lately(), ...query });
        assert.deepEqual(await of({ orderId, pledgeCoin: 'BTC' }), rows);
        assert.deepEqual(await of({ pledgeCoin: 'ETH' }), []);
        assert.deepEqual(await of({ pledgeCoin: 'btc' }), rows, `interface 4.6 ${path}: in any letter case`);
        assert.deepEqual(await of({ orderId: '1' }), [], `interface 4.6 ${path}: an id that no loan has`);
        if (path === 'loan/borrow-history') {
          assert.deepEqual(await of({ loanCoin: 'USDT', status: 'REPAY' }), rows);
          assert.deepEqual(await of({ loanCoin: 'USDC' }), []);
          assert.deepEqual(await of({ loanCoin: 'usdt' }), rows, 'interface 4.6: in any letter case');
          for (const status of ['ROLLBACK', 'FORCE']) assert.deepEqual(await of({ status }), []);
          assert.match((await bot.refusedGet(path, { ...lately(), status: 'OPEN' })).msg, /status/);
        } else {
          for (const reviseSide of ['down', 'up']) {
            assert.deepEqual(
              (await of({ reviseSide })).map((row: Data) => row.reviseSide),
              [reviseSide],
            );
          }
          assert.match((await bot.refusedGet(path, { ...lately(), reviseSide: 'left' })).msg, /reviseSide/);
        }
      });
    }

    it('interface 2.12, 4.6 debts: nothing is owed without a loan', async () => {
      assert.deepEqual(await venue.bob.get('loan/debts'), { pledgeInfos: [], loanInfos: [] });
    });

    it('interface 2.12, 3: a loan that cannot be made is ROLLBACK, one closed by a price fall is FORCE', async () => {
      await venue.price('SOLUSDT', '200');
      const wish = { loanCoin: 'USDT', pledgeCoin: 'SOL', daily: 'SEVEN' };
      const beyond = await venue.bob.post('loan/borrow', { ...wish, daily: 'THIRTY', pledgeAmount: '5000' });
      const lost = await venue.bob.post('loan/borrow', { ...wish, pledgeAmount: '10' });
      await venue.price('SOLUSDT', '150');
      for (const [status, { orderId }, daily, pledgeDays] of [
        ['ROLLBACK', beyond, 'THIRTY', '30'],
        ['FORCE', lost, 'SEVEN', '7'],
      ] as const) {
        const rows = await venue.bob.get('loan/borrow-history', {
          ...lately(),
          status: status.toLowerCase(),
        });
        assert.deepEqual(
          rows.map((row: Data) => [row.orderId, row.status, row.daily, row.pledgeDays, row.pledgeCoin]),
          [[orderId, status, daily, pledgeDays, 'SOL']],
        );
      }
    });
  });
}
