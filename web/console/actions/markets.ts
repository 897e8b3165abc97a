/** Instruments, coins, prices, fees, and the agents of the market. */
import {
  type Action,
  account,
  category,
  coin,
  type Field,
  filled,
  option,
  STATUSES,
  seconds,
  secondsOf,
  symbol,
} from './action.ts';

const entry: Field = { name: 'entry', label: 'Entry', json: true };

/** As it stands behind a command. */
function oneLine(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

const agent: Field = { name: 'agent', label: 'Agent', hint: 'a name such as maker:SPOT:BTCUSDT, or a kind' };

function agentVerb(verb: 'stop' | 'start', note: string): Action {
  return {
    title: verb === 'stop' ? 'Stop agents' : 'Start agents',
    note,
    fields: [agent],
    request: (v) => ({ method: 'POST', path: `/admin/market/${verb}`, body: filled(v, ['agent']) }),
    command: (v) => ['market', verb, v.agent!],
  };
}

export const marketActions = {
  shock: {
    title: 'Shock a price',
    note: 'The world outside pays more or less for a coin.',
    fields: [coin, { name: 'percent', label: 'Percent', first: '-10' }, seconds],
    request: (v) => ({
      method: 'POST',
      path: '/admin/market/shock',
      body: { coin: v.coin, percent: Number(v.percent), ...secondsOf(v.seconds) },
    }),
    command: (v) => ['market', 'shock', v.coin!, v.percent!, ...option('--seconds', v.seconds)],
  },
  widen: {
    title: 'Widen spreads',
    note: 'Makers of an instrument quote wider.',
    fields: [category, symbol, { name: 'factor', label: 'Times', first: '5' }, seconds],
    request: (v) => ({
      method: 'POST',
      path: '/admin/market/spread',
      body: { category: v.category, symbol: v.symbol, factor: Number(v.factor), ...secondsOf(v.seconds) },
    }),
    command: (v) => [
      ...['market', 'widen', v.symbol!, v.factor!, '--category', v.category!],
      ...option('--seconds', v.seconds),
    ],
  },
  stopAgents: agentVerb('stop', 'They take their orders out of the books and rest.'),
  startAgents: agentVerb('start', 'They trade again.'),
  price: {
    title: 'Set a price',
    note: 'One price for every component of an index; it counts until the feed tells its next.',
    fields: [
      { name: 'index', label: 'Index', hint: 'such as BTCUSDT' },
      { name: 'price', label: 'Price' },
      { name: 'exchange', label: 'Component', optional: true, hint: 'all' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/prices',
      body: filled(v, ['index', 'price', 'exchange']),
    }),
    command: (v) => ['price', 'set', v.index!, v.price!, ...option('--exchange', v.exchange)],
  },
  status: {
    title: 'Change status',
    note: 'offline cancels every order of the instrument and closes its positions at the mark.',
    fields: [category, symbol, { name: 'status', label: 'Status', options: STATUSES }],
    request: (v) => ({
      method: 'POST',
      path: '/admin/instruments/status',
      body: filled(v, ['category', 'symbol', 'status']),
    }),
    command: (v) => ['instrument', 'status', v.symbol!, v.status!, '--category', v.category!],
    typed: (v) => (v.status === 'offline' ? v.symbol : undefined),
  },
  fees: {
    title: 'Set fees',
    note: 'What an account pays on an instrument from its next fill on; negative is a rebate.',
    fields: [account, category, symbol, { name: 'maker', label: 'Maker' }, { name: 'taker', label: 'Taker' }],
    request: (v) => ({
      method: 'POST',
      path: '/admin/fees',
      body: filled(v, ['account', 'category', 'symbol', 'maker', 'taker']),
    }),
    command: (v) => [
      ...['fees', 'set', v.account!, v.symbol!, '--maker', v.maker!, '--taker', v.taker!],
      ...['--category', v.category!],
    ],
  },
  coinLimits: {
    title: 'Set limits of a coin',
    note: 'What the house may lack and lend of it, and what drains leave in its funds.',
    fields: [
      coin,
      { name: 'houseShortUsd', label: 'House may lack, USD', optional: true },
      { name: 'lendShare', label: 'Share that may be lent', optional: true },
      { name: 'insuranceFloor', label: 'Floor of the funds', optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/coins/limits',
      body: filled(v, ['coin', 'houseShortUsd', 'lendShare', 'insuranceFloor']),
    }),
    command: (v) => [
      ...['coin', 'set', v.coin!, ...option('--house-short-usd', v.houseShortUsd)],
      ...[...option('--lend-share', v.lendShare), ...option('--insurance-floor', v.insuranceFloor)],
    ],
  },
  addInstrument: {
    title: 'List an instrument',
    note: 'An entry of the catalogue; the instrument opens with the status that stands in it.',
    fields: [entry],
    request: (v) => ({ method: 'POST', path: '/admin/instruments', body: { spec: JSON.parse(v.entry!) } }),
    command: (v) => ['instrument', 'add', oneLine(v.entry!)],
  },
  addCoin: {
    title: 'List a coin',
    note: 'An entry of the catalogue, with its networks.',
    fields: [entry],
    request: (v) => ({ method: 'POST', path: '/admin/coins', body: { spec: JSON.parse(v.entry!) } }),
    command: (v) => ['instrument', 'add', oneLine(v.entry!)],
  },
} as const satisfies Readonly<Record<string, Action>>;
