import { once } from 'node:events';
import { request as forward } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

export interface TlsSite {
  readonly port: number;
  /** Paths with queries that were requested of hosts other than the proxied one. */
  readonly requested: string[];
  close(): void;
}

/**
 * A TLS server on this machine: for `proxied` it is a proxy in front of a node, as one terminates TLS in production;
 * any other host is an application that answers every path.
 */
export async function startTlsSite(proxied: string, node: string): Promise<TlsSite> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'troupe.example' }], { keySize: 2048 });
  const requested: string[] = [];
  const { hostname, port } = new URL(node);
  const server: Server = createServer({ key, cert }, (request, response) => {
    const { host = '' } = request.headers;
    if (host.split(':')[0] !== proxied) {
      requested.push(`${host.split(':')[0]}${request.url}`);
      response.setHeader('content-type', 'text/html');
      // An application that moves its visitors on to another of its hosts, once.
      if (request.url?.startsWith('/moves'))
        return void response.writeHead(302, { location: 'https://www.app.example/end' }).end();
      return void response.end('<h1>The application</h1>');
    }
    const headers = { ...request.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' };
    const { method, url } = request;
    const sent = forward({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requested,
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
