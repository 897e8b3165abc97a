/** Pages for browsers: complete in one response, without scripts, nothing from other hosts. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every page; a page whose scripts need another policy has its own. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
    "require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'x-content-type-options': 'nosniff',
};

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6eaf2); --soft: light-dark(#5b6577, #98a3b8);
  --paper: light-dark(#f6f7f9, #12161d); --sheet: light-dark(#fff, #1a2029); --line: light-dark(#dde2ea, #2c3543);
  --link: light-dark(#0b57c2, #7fb2ff); }
* { box-sizing: border-box; }
body { margin: 0; padding: clamp(1rem, 4vw, 3rem) 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 2.5rem); background: var(--sheet);
  border: 1px solid var(--line); border-radius: 0.75rem; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h1 small { color: var(--soft); font-size: 1rem; font-weight: 400; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0.5rem 0; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: 0.875rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { margin: 0.75rem 0; padding: 0.75rem 1rem; overflow-x: auto; background: var(--paper);
  border: 1px solid var(--line); border-radius: 0.5rem; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: 0.4rem 1.25rem; margin: 0.75rem 0; }
dt, dd { margin: 0; overflow-wrap: anywhere; }
dd { color: var(--soft); }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.6rem; } }
`;
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b57c2' " +
  "d='M3 6h3v7H3zm7-3h3v7h-3z'/%3E%3Cpath stroke='%230b57c2' d='M4.5 3v12m7-14v12'/%3E%3C/svg%3E";

/** `body` is HTML; text from outside must pass `escaped` first. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Terms and definitions; both are HTML. */
export function definitions(rows: readonly (readonly [term: string, meaning: string])[]): string {
  return `<dl>\n${rows.map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join('\n')}\n</dl>`;
}

/** A browser asks for HTML; programs do not. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '');
}

/** A page that does not change while the exchange runs: the browser may cache it and revalidates it each time. */
export class CachedPage {
  readonly #html: string;
  readonly #tag: string;

  constructor(html: string) {
    this.#html = html;
    this.#tag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  }

  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.headers(PAGE_HEADERS).headers({ 'cache-control': 'no-cache', etag: this.#tag, vary: 'accept' });
    if (request.headers['if-none-match'] === this.#tag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(this.#html);
  }
}

/** A page for an error. */
export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .headers(PAGE_HEADERS)
    .headers({ 'cache-control': 'no-store', vary: 'accept' })
    .type('text/html; charset=utf-8')
    .send(html);
}
