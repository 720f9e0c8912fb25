import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import { type Route, withHead } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { notFound } from '../../terms/gateway-error.ts';

/** A file of the pages, in memory. */
interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** The beginning of its SHA-256: names its content. */
  readonly version: string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
};
const FOLDER = 'gateway/pages/kit/assets';
const PARENTS_MAX = 8;
const YEAR_S = 365 * 24 * 60 * 60;

let loaded: Map<string, Asset> | null = null;

/** The path of an asset with the version of its content, for a page to name. Throws for an unknown name. */
export function assetPath(name: string): string {
  const asset = assetOf(name);
  if (asset === undefined) throw new Error(`no asset is named ${name}`);
  return `/assets/${name}?v=${asset.version}`;
}

/**
 * `GET /assets/{name}`: styles and scripts of the pages. A path with the version of this build is kept by browsers for a
 * year; any other is checked with its ETag, so that two builds of a rolling upgrade never mix.
 */
export const assetRoutes: readonly Route[] = withHead({
  method: 'GET',
  path: '/assets/:name',
  policy: 'unguarded',
  answer: (context) => serveAsset(context, paramOf(context, 'name')),
});

/** The bytes of an asset, or 304 where the browser has them. */
export function serveAsset({ request, query }: RequestContext, name: string): RouteAnswer {
  const asset = assetOf(name);
  if (asset === undefined) throw notFound('No such asset');
  const { type, bytes, version } = asset;
  const etag = `"${version}"`;
  const caching = query === `v=${version}` ? `public, max-age=${YEAR_S}, immutable` : 'no-cache';
  const headers = ['etag', etag, 'cache-control', caching, 'x-content-type-options', 'nosniff'];
  if (request.headers['if-none-match'] === etag) return { status: 304, type, body: bytes, headers };
  return { type, body: bytes, headers };
}

function assetOf(name: string): Asset | undefined {
  loaded ??= load(assetFolder());
  return loaded.get(name);
}

function load(folder: string): Map<string, Asset> {
  return new Map(readdirSync(folder).map((name) => [name, read(join(folder, name))]));
}

function read(path: string): Asset {
  const bytes = readFileSync(path);
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
  if (type === undefined) throw new Error(`an asset has an unknown type: ${path}`);
  return { type, bytes, version: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}

/** In the nearest folder above this file that has it, so that it is found from the sources and from `dist/`. */
function assetFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < PARENTS_MAX; i++, folder = dirname(folder)) {
    if (existsSync(join(folder, FOLDER))) return join(folder, FOLDER);
  }
  throw new Error(`${FOLDER} is missing from the package`);
}
