/**
 * The pages: the terminal at `/` and the reference at `/docs` of the public port, with what they need to know before they
 * can sign, and the console at `/` of the operator's listener. They are clients of the interfaces like any other and have
 * no way in of their own.
 */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CachedPage, htmlPage, PAGE_HEADERS, wantsPage } from '../http/page.ts';
import { programFile } from '../program-files.ts';
import { BOURSE } from '../program-name.ts';
import { type BuiltFile, builtFiles } from './built-files.ts';
import { type SessionFacts, serveSession } from './session.ts';

/** Address of a page and its file of `web/dist`. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'index.html',
  '/docs': 'reference.html',
  '/docs/': 'reference.html',
  '/inspector': 'inspector.html',
  '/licences': 'licences.html',
};
/** Messages send people here who then ask with curl. */
const FOR_PROGRAMS_TOO: ReadonlySet<string> = new Set(['/docs', '/docs/']);

/** The page where nothing is built, with what serves instead. */
function unbuilt(instead: string): CachedPage {
  return new CachedPage(
    htmlPage(
      'Bourse',
      `<h1>Bourse</h1>
<p>The exchange runs, but its pages are not built. In the directory of the project:</p>
<pre>npm run web</pre>
<p>Then start it again. ${instead}</p>`,
    ),
  );
}

const UNBUILT = unbuilt(`The interface needs none of it: <a href="/openapi.json">/openapi.json</a> and
<a href="/asyncapi.json">/asyncapi.json</a> describe it, <a href="/about">/about</a> says where everything else is.`);
const UNBUILT_CONSOLE = unbuilt(
  `The command line does all that the console does: <code>${BOURSE} help</code>.`,
);

export function servePages(app: FastifyInstance, facts: SessionFacts): void {
  serveBuilt(app, PAGES, UNBUILT);
  serveSession(app, facts);
}

/** The console at the operator's listener; its files hold nothing secret and need no token. */
export function serveConsole(app: FastifyInstance): void {
  serveBuilt(app, { '/': 'console.html' }, UNBUILT_CONSOLE);
}

/** Pages by address, and the files that they name: no listener has files of the other's pages. */
function serveBuilt(
  app: FastifyInstance,
  pages: Readonly<Record<string, string>>,
  missing: CachedPage,
): void {
  const built = builtFiles(fileURLToPath(programFile('web/dist')));
  const files = new Map<string, BuiltFile>();
  for (const [url, name] of Object.entries(pages)) {
    const page = built.get(name);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access: 'page' },
      handler: (request, reply) => {
        // Load balancers send HEAD and accept any type; to other programs there is nothing here.
        const shown = request.method === 'HEAD' || wantsPage(request.raw) || FOR_PROGRAMS_TOO.has(url);
        if (!shown) return reply.callNotFound();
        return page === undefined ? missing.send(request, reply) : sendPage(page, request, reply);
      },
    });
    for (const path of namedIn(page)) files.set(path, built.get(path)!);
  }
  for (const [path, file] of files)
    app.get(`/${path}`, { config: { access: 'file' } }, (request, reply) => sendFile(file, request, reply));
}

/** The build names in a page whatever it loads. */
function namedIn(page: BuiltFile | undefined): string[] {
  return [...(page?.bytes.toString() ?? '').matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );
}

function sendPage(file: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(PAGE_HEADERS).header('vary', 'accept, accept-encoding');
  return sendFile(file, request, reply);
}

/** A file whose name changes with its contents is kept for good; others are asked for again each time. */
function sendFile(file: BuiltFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    etag: file.tag,
  });
  if (!reply.hasHeader('vary')) reply.header('vary', 'accept-encoding');
  if (headers['if-none-match'] === file.tag) return reply.code(304).send();
  reply.type(file.type);
  if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.zipped());
}
