/**
 * Interface 4, the tables of request parameters: what is required is missed by its name, every documented value is taken,
 * another one is refused with the parameter's name, and what is optional may be left out. What a parameter chooses is
 * in the tests of its endpoint.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PRIVATE } from './endpoints.ts';
import { CATEGORIES, FUTURES } from './objects.ts';
import { type Caller, type ContractVenue, DAY_MS } from './venue.ts';

interface Parameter {
  readonly required?: true;
  /** Every documented value, or examples where any is allowed. */
  readonly takes: readonly string[];
  /** No value of it. Free text has none. */
  readonly refuses?: string;
}

const NO_NUMBER = 'many';
const TIME: Parameter = { takes: ['1794000000000'], refuses: NO_NUMBER };
const COUNT: Parameter = { takes: ['1', '100'], refuses: NO_NUMBER };
const CURSOR: Parameter = { takes: ['1000000000000000001'], refuses: 'first' };
const ID: Parameter = { takes: ['1000000000000000001'], refuses: 'mine' };
const TEXT: Parameter = { takes: ['BTC'] };
const oneOf = (...takes: readonly string[]): Parameter => ({ takes, refuses: 'none_of_these' });
const needed = (parameter: Parameter): Parameter => ({ ...parameter, required: true });

const NOT_MARGIN = CATEGORIES.filter((category) => category !== 'MARGIN');
const PAGE = { startTime: TIME, endTime: TIME, limit: COUNT, cursor: CURSOR };
const LOAN_PAGE = {
  orderId: ID,
  pledgeCoin: TEXT,
  startTime: needed(TIME),
  endTime: needed(TIME),
  pageNum: COUNT,
  pageSize: COUNT,
};

/** The queries, with their parameters in the document's order. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = {
  'market/candles': {
    category: needed(oneOf(...NOT_MARGIN)),
    symbol: needed(TEXT),
    interval: needed(oneOf('1m', '3m', '5m', '15m', '30m', '1H', '4H', '6H', '12H', '1D')),
    startTime: TIME,
    endTime: TIME,
    type: oneOf('market', 'mark', 'index', 'premium'),
    limit: COUNT,
  },
  'market/instruments': { category: needed(oneOf(...CATEGORIES)), symbol: TEXT },
  'market/tickers': { category: needed(oneOf(...NOT_MARGIN)), symbol: TEXT },
  'market/index-components': { symbol: needed(TEXT) },
  'market/fills': { category: needed(oneOf(...CATEGORIES)), symbol: needed(TEXT), limit: COUNT },
  'trade/unfilled-orders': { category: oneOf(...CATEGORIES), symbol: TEXT, ...PAGE },
  'trade/history-orders': { category: needed(oneOf(...CATEGORIES)), symbol: TEXT, ...PAGE },
  'trade/fills': { category: oneOf(...CATEGORIES), orderId: ID, ...PAGE },
  'trade/history-strategy-orders': {
    category: needed(oneOf(...CATEGORIES)),
    type: oneOf('tpsl', 'trigger'),
    ...PAGE,
  },
  'position/current-position': {
    category: needed(oneOf(...FUTURES)),
    symbol: TEXT,
    posSide: oneOf('long', 'short'),
  },
  'position/adlRank': {},
  'account/info': {},
  'account/repayable-coins': {},
  'loan/borrow-history': {
    ...LOAN_PAGE,
    loanCoin: TEXT,
    status: oneOf('ROLLBACK', 'FORCE', 'REPAY'),
  },
  'loan/pledge-rate-history': { ...LOAN_PAGE, reviseSide: oneOf('down', 'up') },
  'loan/debts': {},
};

/** The actions: a body that can be read, whether it is a list of such, and for each parameter what it cannot be. */
interface Action {
  readonly body: Readonly<Record<string, unknown>>;
  readonly batch?: true;
  readonly refuses: Readonly<Record<string, unknown>>;
  readonly categories: readonly string[];
}

const NO_SUCH_ORDER = '1000000000999999999';
const NAMED = { orderId: 'mine', clientOid: 'two words', category: 'OPTIONS' };
const ACTIONS: Readonly<Record<string, Action>> = {
  'trade/cancel-order': { body: { orderId: NO_SUCH_ORDER }, refuses: NAMED, categories: CATEGORIES },
  'trade/cancel-batch': {
    body: { orderId: NO_SUCH_ORDER, category: 'SPOT', symbol: 'BTCUSDT' },
    batch: true,
    refuses: { ...NAMED, symbol: [] },
    categories: CATEGORIES,
  },
  'trade/cancel-symbol-order': {
    body: { category: 'SPOT' },
    refuses: { category: 'OPTIONS', symbol: [] },
    categories: CATEGORIES,
  },
  'trade/batch-modify-order': {
    body: { orderId: NO_SUCH_ORDER, price: '59000' },
    batch: true,
    refuses: { ...NAMED, qty: 'many', price: 'high', autoCancel: 'maybe', symbol: [] },
    categories: CATEGORIES,
  },
  'account/set-leverage': {
    body: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '5', coin: 'USDT' },
    refuses: { category: 'SPOT', symbol: [], leverage: 'high', coin: [], posSide: 'net' },
    categories: ['MARGIN', ...FUTURES],
  },
  'broker/modify-sub-apikey': {
    body: { subUid: '1', passphrase: 'Passphrase1', apiKey: 'none' },
    refuses: {
      ...{ subUid: 'mine', passphrase: [], apiKey: [], label: [], ipList: '127.0.0.1' },
      ...{ permType: 'write', permList: ['copy_trade'] },
    },
    categories: [],
  },
};

const SYMBOLS: Readonly<Record<string, string>> = { 'COIN-FUTURES': 'BTCUSD', 'USDC-FUTURES': 'BTCPERP' };

export function parameters(venue: ContractVenue): void {
  const { alice, nobody } = venue;
  const isPrivate = (path: string) => PRIVATE.some(([, each]) => each === path);
  const callerOf = (path: string): Caller => (isPrivate(path) ? alice : nobody);

  /** What is enough to ask this with; a symbol is one of the category, times are within every window. */
  function enough(path: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const required = Object.entries(QUERIES[path]!).filter(([, parameter]) => parameter.required);
    const values = Object.fromEntries(required.map(([name, { takes }]) => [name, takes[0]!]));
    // Only contracts have other prices than those of trades.
    const category = more.category ?? (more.type === undefined ? values.category : 'USDT-FUTURES');
    const asked = { ...values, ...(category !== undefined && { category }), ...more };
    return {
      ...asked,
      ...('symbol' in asked && { symbol: SYMBOLS[asked.category ?? ''] ?? 'BTCUSDT' }),
      ...('startTime' in asked && { startTime: venue.ago(DAY_MS) }),
      ...('endTime' in asked && { endTime: venue.ago(0) }),
    };
  }

  describe('interface 4: every parameter of every query', () => {
    for (const [path, given] of Object.entries(QUERIES)) {
      it(`interface 4 ${path}: ${Object.keys(given).join(', ') || 'no parameters'}`, async () => {
        const caller = callerOf(path);
        await caller.get(path, enough(path));
        for (const [name, parameter] of Object.entries(given)) {
          const where = `interface 4: ${path} ${name}`;
          if (parameter.required) {
            const { [name]: _left, ...rest } = enough(path);
            assert.match((await caller.refusedGet(path, rest)).msg, new RegExp(name), `${where} is required`);
          }
          for (const value of parameter.takes) await caller.get(path, enough(path, { [name]: value }));
          if (parameter.refuses === undefined) continue;
          const wrong = { ...enough(path), [name]: parameter.refuses };
          assert.match((await caller.refusedGet(path, wrong)).msg, new RegExp(name), where);
        }
      });
    }

    for (const [path, { body, batch, refuses, categories }] of Object.entries(ACTIONS)) {
      it(`interface 4 ${path}: ${Object.keys(refuses).join(', ')}`, async () => {
        const caller = path.startsWith('broker/') ? venue.bob : alice;
        const sent = (change: object) => (batch ? [{ ...body, ...change }] : { ...body, ...change });
        for (const [name, value] of Object.entries(refuses)) {
          const { code, msg } = await caller.refusedPost(path, sent({ [name]: value }));
          assert.match(code, /^400(17|20)$/, `interface 4: ${path} ${name}: ${msg}`);
          assert.match(msg, new RegExp(`\\b${name}\\b`), `interface 4: ${path}`);
        }
        for (const category of categories) {
          const symbol = 'symbol' in body ? { symbol: SYMBOLS[category] ?? 'BTCUSDT' } : {};
          const { code, text } = await caller.client.post(`/api/v3/${path}`, sent({ category, ...symbol }));
          // There is no such order, but the category is one of those.
          assert.match(code, /^(00000|25204)$/, `interface 4: ${path} takes ${category}: ${text}`);
        }
      });
    }

    it('interface 4: a list of a symbol that is not listed is refused, not empty', async () => {
      const filters = Object.entries(QUERIES).filter(([, given]) => 'symbol' in given);
      for (const [path] of [...filters, ['trade/fills'] as const]) {
        const asked = { ...enough(path), symbol: 'NOPEUSDT' };
        const reply = await callerOf(path).refusedGet(path, asked);
        assert.equal(reply.code, '25100', `interface 4: ${path}`);
        assert.match(reply.msg, /NOPEUSDT is not known/, `interface 4: ${path}`);
      }
      const ofOther = { category: 'SPOT', symbol: 'BTCPERP' };
      assert.equal((await alice.refusedGet('trade/unfilled-orders', ofOther)).code, '25100');
      await alice.get('trade/unfilled-orders', { symbol: 'BTCPERP' });
    });

    it('interface 4: a symbol that is not listed is refused, in a batch for its order alone', async () => {
      for (const path of ['trade/cancel-symbol-order', 'account/set-leverage']) {
        const { body } = ACTIONS[path]!;
        const reply = await alice.refusedPost(path, { ...body, symbol: 'NOPEUSDT' });
        assert.equal(reply.code, '25100', `interface 4: ${path}`);
      }
      for (const path of ['trade/cancel-batch', 'trade/batch-modify-order']) {
        const item = { ...ACTIONS[path]!.body, category: 'SPOT', symbol: 'NOPEUSDT' };
        const [entry] = await alice.post(path, [item]);
        assert.equal(entry.code, '25100', `interface 7.3: ${path}`);
      }
    });

    it('interface 1, 4: a category that an endpoint does not list is refused', async () => {
      for (const [path, { category }] of Object.entries(QUERIES)) {
        if (category === undefined) continue;
        for (const other of CATEGORIES.filter((each) => !category.takes.includes(each))) {
          const reply = await callerOf(path).refusedGet(path, { ...enough(path), category: other });
          assert.match(reply.msg, /category/, `interface 4: ${path} does not take ${other}`);
        }
      }
    });

    it('interface 4.1, 4.6: the first of a page is 1', async () => {
      const zero: [path: string, name: string][] = [
        ['market/fills', 'limit'],
        ['trade/unfilled-orders', 'limit'],
        ['trade/history-orders', 'limit'],
        ['trade/fills', 'limit'],
        ['trade/history-strategy-orders', 'limit'],
        ['loan/borrow-history', 'pageNum'],
        ['loan/borrow-history', 'pageSize'],
        ['loan/pledge-rate-history', 'pageNum'],
      ];
      for (const [path, name] of zero) {
        const reply = await callerOf(path).refusedGet(path, { ...enough(path), [name]: '0' });
        assert.match(reply.msg, new RegExp(name), `interface 4: ${path} ${name}`);
      }
    });
  });
}
