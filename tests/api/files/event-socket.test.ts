import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import WebSocket from 'ws';
import { changeKey } from '../../../actors/key/key.ts';
import { bounded } from '../../support/bounded.ts';
import type { Funded, TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { TESTER } from '../../support/tester.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
const ASK_MS = 10_000;

interface Frame {
  readonly type: string;
  readonly cursor?: string;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

const { cluster, ask } = await openApi(test, openCluster);
const sockets: WebSocket[] = [];
test.after.each(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

const base = (node: number) => cluster.baseUrls[node] as string;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A client of the feed over a WebSocket, and the frames that it has received. */
async function follow(key: string, node = 0) {
  const socket = new WebSocket(`${base(node).replace('http', 'ws')}/events`, { headers: bearer(key) });
  sockets.push(socket);
  const frames: Frame[] = [];
  const closed: { code?: number } = {};
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
  socket.on('close', (code) => {
    closed.code = code;
  });
  await once(socket, 'open');
  const until = async (holds: () => boolean, what: string): Promise<void> => {
    for (let left = 3_000; !holds(); left--) {
      if (left === 0) throw new Error(`timed out: ${what}; received ${JSON.stringify(frames)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const of = (type: string) => frames.filter((frame) => frame.type === type);
  const send = async (frame: object, answer: string): Promise<Frame> => {
    const before = of(answer).length;
    socket.send(JSON.stringify(frame));
    await until(() => of(answer).length > before, `${answer} after ${JSON.stringify(frame)}`);
    return of(answer).at(-1) as Frame;
  };
  await until(() => of('feed.opened').length === 1, 'the feed opens');
  return { socket, frames, closed, until, of, send };
}

async function upload({ key }: Funded): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob(['hello']), 'a.txt');
  return (await ask<{ id: string }>('/files', { body: form, key })).body.id;
}

it('a socket receives what it has subscribed to, and nothing before and after', async () => {
  const funded = await cluster.fund('5');
  const [silent, client] = [await follow(funded.key, 1), await follow(funded.key, 2)];
  const { data } = await client.send({ type: 'subscribe', types: ['file'] }, 'feed.subscribed');
  assert.equal(data, { types: ['file.deleted', 'file.expired', 'file.stored'], ids: null });
  const first = await upload(funded);
  await client.until(() => client.of('file.stored').length === 1, 'the stored file');
  assert.is(client.of('file.stored')[0]?.data?.id, first);
  await client.send({ type: 'unsubscribe', types: ['file.stored'] }, 'feed.unsubscribed');
  await upload(funded);
  await ask(`/files/${first}`, { method: 'DELETE', key: funded.key });
  await client.until(() => client.of('file.deleted').length === 1, 'the deleted file');
  assert.is(client.of('file.stored').length, 1);
  assert.equal(
    silent.frames.map(({ type }) => type),
    ['feed.opened'],
  );
});

it('a socket resumes from a cursor on another node; an old cursor starts over', async () => {
  const funded = await cluster.fund('5');
  const first = await follow(funded.key);
  const cursor = first.of('feed.opened')[0]?.cursor as string;
  first.socket.terminate();
  const id = await upload(funded);
  const second = await follow(funded.key, 1);
  await second.send({ type: 'subscribe', types: ['file'], cursor }, 'feed.subscribed');
  await second.until(() => second.of('file.stored').length === 1, 'the missed file');
  assert.is(second.of('file.stored')[0]?.data?.id, id);
  const old = `cur_${(Date.now() - 3_600_000).toString(36)}`;
  await second.send({ type: 'subscribe', cursor: old }, 'feed.start_over');
});

it('a wrong frame is answered with an error that names the member, and the socket goes on', async () => {
  const funded = await cluster.fund('5');
  const client = await follow(funded.key);
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{', /a frame must be a JSON object/],
    ['[]', /a frame must be a JSON object/],
    ['{"type":"hello"}', /type must be/],
    ['{"type":"subscribe","types":"file"}', /types must be a list/],
    ['{"type":"subscribe","types":["invoice"]}', /types must be of/],
    ['{"type":"subscribe","cursor":7}', /cursor must be a text/],
    ['{"type":"subscribe","cursor":"x"}', /cursor must be a cursor/],
  ];
  for (const [at, [frame, message]] of wrong.entries()) {
    client.socket.send(frame);
    await client.until(() => client.of('error').length === at + 1, frame);
    const { error } = client.of('error').at(-1) as Frame;
    assert.is(error?.code, 400);
    assert.match(error?.message ?? '', message);
  }
  await client.send({ type: 'subscribe' }, 'feed.subscribed');
});

it('a revoked key ends its socket with the reason, and a binary or large frame closes it', async () => {
  const funded = await cluster.fund('5');
  const [client, binary, large] = await Promise.all([0, 1, 2].map((node) => follow(funded.key, node)));
  if (!client || !binary || !large) throw new Error('no sockets');
  binary.socket.send(Buffer.from('x'), { binary: true });
  large.socket.send('x'.repeat(17 * 1024));
  await binary.until(() => binary.closed.code === 1003, 'the binary frame is refused');
  await large.until(() => large.closed.code === 1009, 'the large frame is refused');
  const runtime = (cluster.nodes[2] as TestCluster['nodes'][number]).cluster;
  await changeKey(runtime, funded.keyAddress, 'revoke', paced(ASK_MS), TESTER);
  await client.until(() => client.closed.code === 1008, 'the socket closes');
  assert.is(client.of('error')[0]?.error?.code, 401);
});

it('an upgrade without a valid key is 401, and opens nothing', async () => {
  const socket = new WebSocket(`${base(0).replace('http', 'ws')}/events`, { headers: bearer('sk-gw-v1-no') });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  assert.is(response.statusCode, 401);
  socket.on('error', () => {});
  socket.terminate();
});

test.run();
