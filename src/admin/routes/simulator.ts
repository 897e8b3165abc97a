/** The market simulator: its agents, and how to disturb it. */

import { AGENT_KINDS } from '../../simulator/agents/agent.ts';
import { SHOCK_PERCENT_MAX, WIDEN_FACTOR_MAX } from '../../simulator/limits.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { CategoryText, CoinName, closed, Text } from '../fields.ts';
import { findInstrument } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const SPAN_MAX_S = 86_400;
const DEFAULT_WIDENING_S = 300;

const AgentView = Type.Object({
  name: Type.String(),
  kind: Type.Enum([...AGENT_KINDS]),
  uid: Type.Integer(),
  running: Type.Boolean(),
  openOrders: Type.Integer(),
});
const MarketView = Type.Object({
  level: Type.String(),
  seed: Type.Integer(),
  feed: Type.String(),
  books: Type.Integer(),
  commands: Type.Integer(),
  refused: Type.Integer(),
  agents: Type.Array(AgentView),
});
const Seconds = Type.Optional(Type.Number({ minimum: 0, maximum: SPAN_MAX_S }));

const OFF = 'the market is off: start the exchange with --market normal';

/** Off, or on another node of the cluster. */
const notHere = (elsewhere = OFF) => new AdminError('not_allowed', elsewhere);

function viewOf(market: MarketSimulator) {
  const { options, client, views, members } = market;
  return {
    level: options.level,
    seed: options.seed,
    feed: options.feed.name,
    books: views.length,
    commands: client.commands,
    refused: client.refused,
    agents: members.map(({ agent: { name, kind, uid } }) => ({
      name,
      kind,
      uid,
      running: market.isRunning(name),
      openOrders: client.orders(uid).length,
    })),
  };
}

function setRunning(path: `/admin/${string}`, action: string, running: boolean): OperatorRoute {
  return operatorRoute({
    method: 'POST',
    path,
    body: Type.Object({ agent: Text }, closed),
    answer: Type.Object({ agents: Type.Integer(), running: Type.Boolean() }),
    action,
    auditArguments: ({ body: { agent } }) => ({ agent }),
    handle: async ({ market, marketElsewhere, sequencer, body: { agent } }) => {
      if (market === undefined) return notHere(marketElsewhere);
      const agents = market.setRunning(agent, running);
      await sequencer.durable();
      if (agents > 0) return { agents, running };
      const right = `give a name such as maker:SPOT:BTCUSDT, or one of ${AGENT_KINDS.join(', ')}`;
      return new AdminError('invalid_request', `there is no agent ${JSON.stringify(agent)}: ${right}`);
    },
  });
}

export const marketRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/market',
    answer: MarketView,
    handle: ({ market, marketElsewhere }) =>
      market === undefined ? notHere(marketElsewhere) : viewOf(market),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/market/shock',
    body: Type.Object(
      {
        coin: CoinName,
        percent: Type.Number({ minimum: -SHOCK_PERCENT_MAX, maximum: 1000 }),
        seconds: Seconds,
      },
      closed,
    ),
    answer: Type.Object({ coin: Type.String(), percent: Type.Number(), seconds: Type.Number() }),
    action: 'market.shock',
    auditArguments: ({ body }) => ({ ...body }),
    handle: ({ market, marketElsewhere, body: { coin, percent, seconds = 0 } }) => {
      if (market === undefined) return notHere(marketElsewhere);
      if (market.shock(coin, 1 + percent / 100, seconds * 1000)) return { coin, percent, seconds };
      const why = `the feed (${market.options.feed.name}) cannot move the price of ${JSON.stringify(coin)}`;
      return new AdminError('not_allowed', `${why}: a synthetic one moves every coin that is not a dollar`);
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/market/spread',
    body: Type.Object(
      {
        category: CategoryText,
        symbol: Text,
        factor: Type.Number({ minimum: 1, maximum: WIDEN_FACTOR_MAX }),
        seconds: Seconds,
      },
      closed,
    ),
    answer: Type.Object({ symbol: Type.String(), factor: Type.Number(), seconds: Type.Number() }),
    action: 'market.spread',
    auditArguments: ({ body }) => ({ ...body }),
    handle: ({ market, marketElsewhere, sequencer, body }) => {
      if (market === undefined) return notHere(marketElsewhere);
      const instrument = findInstrument(sequencer.state, body.category, body.symbol);
      if (instrument instanceof AdminError) return instrument;
      const { symbol, factor, seconds = DEFAULT_WIDENING_S } = body;
      if (market.widen(instrument.index, factor, seconds * 1000)) return { symbol, factor, seconds };
      return new AdminError('not_allowed', `nobody makes a market in ${body.category} ${symbol} here`);
    },
  }),

  setRunning('/admin/market/stop', 'market.stop', false),
  setRunning('/admin/market/start', 'market.start', true),
];
