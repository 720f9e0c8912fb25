import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { acceptUpgrade } from '../../../gateway/http/upgrade.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const FRAMES = 50;

it('frames that arrive together are received in turns of the event loop of their own', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  let [inTurn, most, received] = [0, 0, 0];
  const all = new Promise<void>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      const upgrade = { socket: socket as Socket, head, adopt: () => {} };
      acceptUpgrade({ request, upgrade } as never, 1_024, (client) => {
        client.on('message', () => {
          most = Math.max(most, ++inTurn);
          setImmediate(() => {
            inTurn = 0;
          });
          if (++received === FRAMES) resolve();
        });
        return { drain: () => {} };
      });
    });
  });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(client, 'open');
  for (let nth = 0; nth < FRAMES; nth++) client.send('{}');
  await all;
  assert.is(most, 1);
  client.terminate();
  server.close();
});

test.run();
