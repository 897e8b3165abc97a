/** Pages of the public port for browsers: one that says where things are, and one for unknown addresses. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CachedPage, definitions, escaped, htmlPage, sendPage, wantsPage } from '../../http/page.ts';
import { DEMO_ACCOUNTS } from '../../identity/demo-accounts.ts';
import { BOURSE } from '../../program-name.ts';
import { IS_INSTALLED, VERSION } from '../../version.ts';

const link = (path: string) => `<a href="${escaped(path)}">${escaped(path.split('?')[0]!)}</a>`;

/** An installed package has none of it. */
const SOURCES = [
  '<code>README.md</code> <code>docs/</code>',
  'how to use, run and change it; in the directory of the project',
] as const;

const PLACES = definitions([
  [link('/'), 'the trading terminal'],
  [link('/docs'), 'every call, stream and error code, with a form that sends them'],
  [
    `${link('/openapi.json')} ${link('/asyncapi.json')}`,
    'the same for programs; the second describes the streams',
  ],
  [
    '<code>/v3/ws/public</code> <code>/v3/ws/private</code>',
    'streams over WebSocket: market data; account, orders and trading',
  ],
  [`${link('/healthz')} ${link('/readyz')} ${link('/metrics')}`, 'does it run, can it serve, its figures'],
  [link('/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT'), 'a first call, which needs no key'],
  ...(IS_INSTALLED ? [] : [SOURCES]),
]);

const CLIENTS = `<pre>${BOURSE} client curl | bash
${BOURSE} client ccxt-js | node --input-type=module
${BOURSE} client ccxt-py | python3</pre>
<p>Each line prints a program with the address and keys of this exchange and runs it: it places an order and shows it. If the
exchange was started with <code>--data DIR</code>, write that behind <code>client curl</code> too.</p>`;

const SIGNED_REQUESTS = '<code>docs/operator.md</code> shows one with curl, the README with ccxt.';
const OPERATOR = `<pre>${BOURSE} account create alice
${BOURSE} key create alice
${BOURSE} deposit alice 10000 USDT --reference first</pre>
<p>Then sign requests with that key: ${IS_INSTALLED ? link('/docs') : SIGNED_REQUESTS}</p>`;

function trade(demo: boolean): string {
  const names = DEMO_ACCOUNTS.map(({ name }) => `<code>${escaped(name)}</code>`).join(', ');
  return demo
    ? `<p>Demo accounts are <strong>on</strong>: ${names}, funded, with the same keys on every machine. In a second terminal,
in the directory of the project:</p>\n${CLIENTS}`
    : `<p>Demo accounts are <strong>off</strong>. The operator opens an account:</p>\n${OPERATOR}`;
}

function aboutPage(demo: boolean): string {
  return htmlPage(
    'About · Bourse',
    `<h1>Bourse <small>${escaped(VERSION)}</small></h1>
<p>A complete unified-account exchange: spot, margin and futures on one account, an order book, a ledger and a durable log,
behind version 3 of the HTTP and WebSocket interface. It runs, and this is its public port.</p>
<h2>Trade in a minute</h2>
${trade(demo)}
<h2>Where things are</h2>
${PLACES}`,
  );
}

/** `/about` for a browser; other clients get the response of an unknown path. */
export function serveAboutPage(
  app: FastifyInstance,
  demo: () => boolean,
  otherwise: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  const pages = { demo: new CachedPage(aboutPage(true)), other: new CachedPage(aboutPage(false)) };
  app.route({
    method: ['GET', 'HEAD'],
    url: '/about',
    // Load balancers send HEAD and accept any type.
    handler: (request, reply) =>
      request.method === 'HEAD' || wantsPage(request.raw)
        ? pages[demo() ? 'demo' : 'other'].send(request, reply)
        : otherwise(request, reply),
  });
}

export function sendNotFoundPage(reply: FastifyReply, message: string): FastifyReply {
  const body = `<h1>Nothing here <small>404</small></h1>
<p>${escaped(message.charAt(0).toUpperCase() + message.slice(1))}.</p>
<h2>Where things are</h2>
${PLACES}`;
  return sendPage(reply, 404, htmlPage('Nothing here · Bourse', body));
}
