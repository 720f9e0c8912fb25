import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HookPost } from '../support/auditor/video-evidence.ts';

const REFUSED_SHARE = 0.3;

/** A receiver of webhooks on loopback that keeps a log of its own and refuses some posts. */
export class HookReceiver {
  readonly posts: HookPost[] = [];
  readonly #server: Server;

  private constructor(chance: () => number) {
    this.#server = createServer((request, response) => {
      const at = Date.now();
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        const status = chance() < REFUSED_SHARE ? 503 : 204;
        const signature = String(request.headers['gateway-signature']);
        this.posts.push({ at, id: String(request.headers['gateway-idempotency-key']), body, signature, status });
        response.writeHead(status).end();
      });
    });
  }

  static async open(chance: () => number): Promise<HookReceiver> {
    const receiver = new HookReceiver(chance);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
