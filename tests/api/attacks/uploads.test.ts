import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Uploads that never end: what they cost other tenants, and their own key. */
const it = bounded(test);
const MIB = 1024 * 1024;

const { cluster } = await openApi(test, openCluster);
const base = new URL(cluster.baseUrls[0] as string);

/** Announces a body of 8 MiB and sends its first bytes. */
function beginUpload(key: string): { readonly socket: Socket; readonly status: Promise<string> } {
  const socket = connect(Number(base.port), base.hostname);
  const head = `POST ${base.pathname}/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}`;
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${8 * MIB}\r\n\r\n{"model":"`);
  socket.on('error', () => {});
  const status = new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').slice(9, 12)));
    socket.once('close', () => resolve('closed'));
  });
  return { socket, status };
}

function ask(key: string, content: string): Promise<Response> {
  const body = JSON.stringify({ model: 'sim/fast', max_tokens: 1, messages: [{ role: 'user', content }] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${base.href}/chat/completions`, { method: 'POST', headers, body });
}

it('192 open uploads of one key take no room from other tenants, and only as many stay as a key may have (rule E40)', async () => {
  const greedy = await cluster.fund('100');
  const tenant = await cluster.fund('100');
  const opened = Array.from({ length: 192 }, () => beginUpload(greedy.key));
  // The uploads beyond the bound are refused; the others have no answer.
  const refused: string[] = [];
  for (const { status } of opened) void status.then((answer) => refused.push(answer));
  while (refused.length < 128) await new Promise((resolve) => setTimeout(resolve, 10));
  const answer = await ask(tenant.key, 'word '.repeat(20_000));
  assert.is(answer.status, 200, await answer.text());
  assert.equal([...new Set(refused)], ['429']);
  assert.is(refused.length, 128);
  for (const { socket } of opened) socket.destroy();
});

it('an upload counts against its key when it begins, and the upload of a client that leaves counts too (rule E40)', async () => {
  const { key } = await cluster.fund('100', { perMinute: 3 });
  const opened = Array.from({ length: 3 }, () => beginUpload(key));
  // The count of a large upload precedes its first byte; the others are refused by it.
  const late = beginUpload(key);
  assert.is(await Promise.race([late.status, ...opened.map(({ status }) => status)]), '429');
  for (const { socket } of [...opened, late]) socket.destroy();
  assert.is((await ask(key, 'hello')).status, 429);

  const small = await cluster.fund('100', { perMinute: 4 });
  // From now on the node knows the key.
  assert.is((await ask(small.key, 'hello')).status, 200);
  for (let i = 0; i < 3; i++) {
    const socket = connect(Number(base.port), base.hostname);
    const head = `POST ${base.pathname}/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${small.key}`;
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    while (cluster.nodes[0]?.gauges.requestsUnderWay === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    while (cluster.nodes[0]?.gauges.requestsUnderWay !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Nobody waits for these counts: they arrive before the third further request at the latest.
  const statuses: number[] = [];
  while (statuses.length < 3 && statuses.at(-1) !== 429) statuses.push((await ask(small.key, 'hello')).status);
  assert.is(statuses.at(-1), 429, statuses.join(' '));
});

test.run();
