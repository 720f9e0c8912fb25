import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import {
  boundedRefusals,
  openPublicPort,
  refuseConnection,
} from '../../../../gateway/operator/launcher/public-port.ts';
import { bounded } from '../../../support/bounded.ts';
import { sendThenRead } from '../../../support/send-then-read.ts';

const it = bounded(test, 30_000);
const BODY_BYTES = 9 * 1024 * 1024;
const HEAD = `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\nConnection: close\r\n\r\n`;

it('a connection that no node takes is answered 503 under a generation id, also at a client that reads last', async () => {
  const refused = { clock: systemClock, random: systemRandom, limits: config.edge };
  const port = await openPublicPort({ host: '127.0.0.1', port: 0 }, (socket) => refuseConnection(socket, refused));
  const answers = await Promise.all(Array.from({ length: 5 }, () => sendThenRead(port.port, HEAD, BODY_BYTES)));
  port.close();
  const ids = new Set<string>();
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 503 Service Unavailable\r\n/);
    assert.match(answer, /\r\nretry-after: 1\r\n/);
    assert.match(answer, /\r\nx-should-retry: true\r\n/);
    const id = /\r\nx-generation-id: (gen-\d{10}-[0-9A-Za-z]{20})\r\n/.exec(answer)?.[1];
    assert.ok(id, answer);
    assert.match(answer, `\r\nx-request-id: ${id}\r\nrequest-id: ${id}\r\n`);
    const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    assert.is(error.code, 503);
    ids.add(id);
  }
  assert.is(ids.size, answers.length);
});

it('connections beyond the bound on refusals are cut, and a place is free again once one has ended', async () => {
  const options = { clock: systemClock, random: systemRandom, limits: config.edge };
  const port = await openPublicPort({ host: '127.0.0.1', port: 0 }, boundedRefusals(1, options));
  const opened: Socket[] = [];
  const open = (): Promise<{ readonly socket: Socket; readonly text: Promise<string> }> =>
    new Promise((resolve) => {
      const socket = connect({ port: port.port, host: '127.0.0.1', allowHalfOpen: true });
      opened.push(socket);
      let seen = '';
      const text = new Promise<string>((end) => socket.once('end', () => end(seen)).once('close', () => end(seen)));
      socket.on('data', (bytes) => {
        seen += bytes;
      });
      socket.on('error', () => {}).once('connect', () => resolve({ socket, text }));
    });
  const first = await open();
  assert.match(await first.text, /^HTTP\/1\.1 503/);
  assert.is(await (await open()).text, '', 'the first one has not ended its side');
  first.socket.end();
  await once(first.socket, 'close');
  let again = '';
  while (again === '') again = await (await open()).text;
  assert.match(again, /^HTTP\/1\.1 503/);
  // A refused connection lingers until its client ends its side too.
  for (const socket of opened) socket.destroy();
  port.close();
});

test.run();
