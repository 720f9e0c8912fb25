/** Pages of the public site without a cluster behind them, with their files and headers, for tests in a browser. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Html } from '../../gateway/pages/kit/html.ts';
import { pageHeaders } from '../../gateway/pages/kit/page-answer.ts';
import { ROOT } from './sources.ts';

export const ASSETS = join(ROOT, 'gateway/pages/kit/assets');
const TYPES: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

export interface PageServer {
  /** `http://127.0.0.1:N`. */
  readonly origin: string;
  close(): void;
}

/** Serves what `page` answers for a path with its query. */
export async function servePages(page: (url: URL) => Html): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const name = /^\/assets\/([\w.]+)/.exec(url)?.[1];
    if (name !== undefined) {
      response.setHeader('content-type', TYPES[name.split('.').at(-1) as string] as string);
      return void response.end(readFileSync(join(ASSETS, name)));
    }
    response.writeHead(200, ['content-type', 'text/html; charset=utf-8', ...pageHeaders()]);
    response.end(`<!doctype html>\n${page(new URL(url, 'http://site'))}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}
