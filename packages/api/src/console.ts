/**
 * Serves the console: a folder of built files. Files with a hash in their name never change and are kept for good; every
 * address of the console itself is answered with its page. While the folder is not there yet, a small page waits for it.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiOptions } from './options.ts';

/** The style of the page that waits; the policy names it by its hash, as nothing else may stand in a page. */
const waitingStyle = 'body { font: 15px system-ui; margin: 20vh auto; max-width: 30em; text-align: center }';

/**
 * No inline script or style runs, whatever a name or a log contains: scripts and styles are files of the
 * console.
 */
const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${createHash('sha256').update(waitingStyle).digest('base64')}'`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The base address in the built page, which the server replaces with its own. */
const baseMark = '<base href="/" />';

const YEAR = '365d';

/** The page of a folder, with the base path in it. */
interface Page {
  readonly text: string;
  readonly etag: string;
  readonly changed: number;
}

/** Adds the route of all files and addresses of the console. */
export function addConsole(
  app: FastifyInstance,
  { console: place, basePath = '' }: Pick<ApiOptions, 'console' | 'basePath'>,
): void {
  if (place === undefined) return;
  const folderNow = typeof place === 'function' ? place : () => place;
  // Its own routes need a folder that is there from the start; ours comes with each answer.
  app.register(fastifyStatic, { root: import.meta.dirname, serve: false, preCompressed: true });
  let page: Page | undefined;

  app.get<{ Params: { '*': string } }>('/*', { config: { open: true } }, async (request, reply) => {
    const path = request.params['*'];
    if (path === 'api' || path.startsWith('api/')) return reply.callNotFound();
    reply.header('content-security-policy', pagePolicy);
    const folder = folderNow();
    if (folder !== undefined && isFile(path)) return sendFile(reply, path, folder);
    page = folder === undefined ? undefined : await readPage(folder, `${basePath}/`, page);
    if (page === undefined) return reply.code(503).type('text/html; charset=utf-8').send(waitingPage);
    return sendPage(request, reply, page);
  });
}

/**
 * Files have one of these endings. Addresses of the console, such as those of runs, may contain dots but
 * never end so.
 */
function isFile(path: string): boolean {
  return /\.(js|css|map|svg|png|ico|json|txt|woff2|webmanifest)$/.test(path);
}

function sendFile(reply: FastifyReply, path: string, folder: string): FastifyReply {
  reply.removeHeader('cache-control');
  const hashed = path.startsWith('assets/');
  return reply.sendFile(path, folder, hashed ? { maxAge: YEAR, immutable: true } : { maxAge: 0 });
}

function sendPage({ headers }: FastifyRequest, reply: FastifyReply, { text, etag }: Page): FastifyReply {
  reply.headers({ 'cache-control': 'no-cache', etag });
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('text/html; charset=utf-8').send(text);
}

/** Undefined while it is being built again. */
async function readPage(folder: string, base: string, known: Page | undefined): Promise<Page | undefined> {
  const path = join(folder, 'index.html');
  const changed = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (changed === undefined) return undefined;
  if (known?.changed === changed) return known;
  const text = (await readFile(path, 'utf8')).replace(baseMark, `<base href="${base}" />`);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return { text, etag, changed };
}

/** Reloads itself without a script, so that the strictest policy fits it; names its icon, or browsers ask for one. */
const waitingPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Orrery</title>
<link rel="icon" href="data:,">
<style>${waitingStyle}</style></head>
<body>
<h1>Orrery is running</h1>
<p>The console is being built. This page shows it as soon as it is there.</p>
<p>The API answers already, at <code>api/v1</code>.</p>
</body>
</html>
`;
