import { test } from 'uvu';
import * as assert from 'uvu/assert';
import WebSocket from 'ws';
import { changeAccount } from '../../../actors/account/account.ts';
import { changeKey, editKey } from '../../../actors/key/key.ts';
import { bounded } from '../../support/bounded.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { EventReader } from '../../support/stream/event-reader.ts';
import { TESTER } from '../../support/tester.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
const ASK_MS = 10_000;

const { cluster, ask, send, chat } = await openApi(test, openCluster);
const readers: EventReader[] = [];
test.after.each(() => {
  for (const reader of readers.splice(0)) reader.close();
});

const base = (node: number) => cluster.baseUrls[node] as string;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const runtime = () => (cluster.nodes[0] as TestCluster['nodes'][number]).cluster;

async function follow(
  key: string,
  { node = 0, query = '', lastEventId }: { node?: number; query?: string; lastEventId?: string | undefined } = {},
): Promise<EventReader> {
  const headers = lastEventId === undefined ? bearer(key) : { ...bearer(key), 'last-event-id': lastEventId };
  const reader = await EventReader.open(`${base(node)}/events${query}`, headers);
  readers.push(reader);
  await reader.until(() => reader.events.length > 0, 'the first event');
  return reader;
}

async function upload({ key }: Pick<Funded, 'key'>, node = 0): Promise<{ readonly id: string }> {
  const form = new FormData();
  form.set('file', new Blob(['hello']), 'a.txt');
  const { status, body } = await ask<{ id: string }>('/files', { body: form, node, key });
  assert.is(status, 200);
  return body;
}

const json = async (path: string, key: string) => (await ask<Record<string, unknown>>(path, { key })).body;

it('a file that is stored and deleted on one node is followed on every other', async () => {
  const funded = await cluster.fund('5');
  const followers = await Promise.all([0, 1, 2].map((node) => follow(funded.key, { node })));
  const file = await upload(funded);
  const stored = await json(`/files/${file.id}`, funded.key);
  for (const reader of followers) {
    await reader.until(() => reader.of('file.stored').length === 1, 'the file is stored');
    assert.equal(reader.of('file.stored')[0]?.body.data, stored);
  }
  await send(`/files/${file.id}`, { method: 'DELETE', key: funded.key, node: 1 });
  for (const reader of followers) {
    await reader.until(() => reader.of('file.deleted').length === 1, 'the file is deleted');
    assert.equal(reader.of('file.deleted')[0]?.body.data, { id: file.id, object: 'file', deleted: true });
    assert.is(reader.of('file.stored').length, 1, 'each change is sent once');
  }
});

it('a charged request changes the balance that is followed, to the digits of GET /credits', async () => {
  const funded = await cluster.fund('5');
  const reader = await follow(funded.key, { node: 1 });
  const answer = await chat({ max_tokens: 16 }, { key: funded.key, node: 2 });
  assert.is(answer.status, 200);
  await answer.text();
  const { data } = await json('/credits', funded.key);
  assert.ok((data as { total_usage: number }).total_usage > 0);
  const last = () => reader.of('balance.updated').at(-1)?.body.data;
  await reader.until(() => JSON.stringify(last()) === JSON.stringify(data), 'the balance after the charge');
});

it('a batch is followed from its acceptance to its end on another node', async () => {
  const funded = await cluster.fund('5');
  const reader = await follow(funded.key, { node: 1, query: '?types=batch' });
  const body = { model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] };
  const requests = Array.from({ length: 12 }, (_, i) => ({ custom_id: `r${i}`, body }));
  const answer = await send('/batches', { body: { endpoint: '/v1/chat/completions', requests }, key: funded.key });
  assert.is(answer.status, 202);
  const { id } = (await answer.json()) as { id: string };
  const batches = () => reader.of('batch.updated').map(({ body }) => body.data as unknown as BatchState);
  await reader.until(() => batches().at(-1)?.status === 'completed', 'the batch completes');
  const seen = batches();
  assert.ok(seen.every((batch) => batch.id === id));
  const done = seen.map(({ request_counts: { completed, failed } }) => completed + failed);
  assert.equal(
    done,
    [...done].sort((a, b) => a - b),
    'counts never fall',
  );
  assert.is(done.at(-1), 12);
  const { results: _, ...final } = (await json(`/batches/${id}`, funded.key)) as { results: unknown };
  assert.equal({ ...seen.at(-1), results: undefined }, { ...final, results: undefined });
});

interface BatchState {
  readonly id: string;
  readonly status: string;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
}

it('a client that resumes from a cursor on another node receives what it missed (rule B54)', async () => {
  const funded = await cluster.fund('5');
  const first = await follow(funded.key);
  const cursor = first.events[0]?.body.cursor as string;
  assert.is(first.events[0]?.type, 'feed.opened');
  first.close();
  const file = await upload(funded);
  const byHeader = await follow(funded.key, { node: 1, lastEventId: cursor });
  await byHeader.until(() => byHeader.of('file.stored').length === 1, 'the missed file');
  assert.is(byHeader.events[0]?.type, 'feed.opened');
  assert.is(byHeader.of('file.stored')[0]?.body.data?.id, file.id);
  const byQuery = await follow(funded.key, { node: 2, query: `?cursor=${cursor}&types=file` });
  await byQuery.until(() => byQuery.of('file.stored').length === 1, 'the missed file');
});

it('a cursor that is too old starts over; one that no event had is 400 (rule B54)', async () => {
  const funded = await cluster.fund('5');
  const old = `cur_${(Date.now() - 3_600_000).toString(36)}`;
  const reader = await follow(funded.key, { lastEventId: old });
  assert.is(reader.events[0]?.type, 'feed.start_over');
  await upload(funded);
  await reader.until(() => reader.of('file.stored').length === 1, 'the stream goes on');
  for (const query of ['?cursor=7', '?cursor=cur_', '?cursor=cur_%00']) {
    await assertRejects(follow(funded.key, { query }), /^Error: 400 .*cursor/);
  }
});

it('types and ids narrow the stream, and unknown types are refused by name', async () => {
  const funded = await cluster.fund('5');
  const deleted = await follow(funded.key, { query: '?types=file.deleted,balance' });
  const first = await upload(funded);
  const mine = await follow(funded.key, { query: `?types=file&ids=${first.id}` });
  const second = await upload(funded);
  for (const { id } of [second, first]) {
    await send(`/files/${id}`, { method: 'DELETE', key: funded.key });
  }
  await deleted.until(() => deleted.of('file.deleted').length === 2, 'both deletions');
  await mine.until(() => mine.of('file.deleted').length === 1, 'the deletion of the named file');
  assert.equal(deleted.of('file.stored'), []);
  assert.ok(mine.events.every(({ type, body }) => type === 'feed.opened' || body.data?.id === first.id));
  await assertRejects(follow(funded.key, { query: '?types=invoice' }), /^Error: 400 .*types must be of .*batch/);
  const ids = Array.from({ length: 101 }, (_, i) => `f${i}`).join(',');
  await assertRejects(follow(funded.key, { query: `?ids=${ids}` }), /^Error: 400 .*at most 100/);
});

it('a change of the own limit is followed, one of another key and of another account is not (rule B55)', async () => {
  const [funded, stranger] = [await cluster.fund('5'), await cluster.fund('5')];
  const other = await cluster.issue(funded.account);
  const reader = await follow(funded.key, { node: 1 });
  const limit = { limit: '2', limitWindow: 'daily' } as const;
  await editKey(runtime(), other.keyAddress, limit, { by: TESTER, withinMs: paced(ASK_MS) });
  await upload(stranger);
  await editKey(runtime(), funded.keyAddress, limit, { by: TESTER, withinMs: paced(ASK_MS) });
  await reader.until(() => reader.of('key.updated').length === 1, 'the own limit');
  const { data } = reader.of('key.updated')[0]?.body ?? {};
  assert.is(data?.limit, 2);
  assert.is(data?.limit_reset, 'daily');
  assert.is(data?.id, funded.keyAddress.split('/')[1]);
  assert.equal(reader.of('file.stored'), []);
});

it('a revoked key and a suspended account end their streams with 401, on every node (rule B55)', async () => {
  const funded = await cluster.fund('5');
  const second = await cluster.issue(funded.account);
  const [own, others] = await Promise.all([
    follow(funded.key, { node: 2 }),
    follow(second.key, { node: 1, query: '?types=file' }),
  ]);
  await changeKey(runtime(), funded.keyAddress, 'revoke', paced(ASK_MS), TESTER);
  await own.until(() => own.ended, 'the stream ends');
  const { error } = own.of('error')[0]?.body ?? {};
  assert.is(error?.code, 401);
  assert.is(others.ended, false);
  await assertRejects(follow(funded.key), /^Error: 401/);
  await changeAccount(runtime(), funded.account, 'suspend', paced(ASK_MS), TESTER);
  await others.until(() => others.ended, 'the stream of the other key ends');
  assert.is(others.of('error').length, 1);
});

it('the streams of an account are bounded over all its keys, as server-sent events and as sockets (rule B56)', async () => {
  const small = await startCluster({ simulators: ['sim-a'], events: { streamsPerAccountMax: 3, streamsPerKeyMax: 2 } });
  const opened: EventReader[] = [];
  const open = async (key: string): Promise<EventReader> => {
    const reader = await EventReader.open(`${small.baseUrls[0]}/events`, bearer(key));
    opened.push(reader);
    return reader;
  };
  /** The status of a refused upgrade, with its message. */
  const refusedSocket = (key: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${small.baseUrls[0]?.replace('http', 'ws')}/events`, { headers: bearer(key) });
      socket.once('open', () => reject(new Error('the socket was accepted')));
      socket.once('error', () => {});
      socket.once('unexpected-response', (_, answer) => {
        let text = '';
        answer.on('data', (piece) => {
          text += piece;
        });
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
      });
    });
  try {
    const { account, key } = await small.fund('5');
    const second = await small.issue(account);
    for (const each of [key, key, second.key]) await open(each);
    await assertRejects(open(second.key), /429.*An account has at most 3 event streams/s);
    await assertRejects(open(key), /429.*A key has at most 2 event streams/s);
    assert.match(await refusedSocket(second.key), /^429 .*An account has at most 3 event streams open at once/s);
    await open((await small.fund('5')).key);
  } finally {
    for (const reader of opened) reader.close();
    await small.close();
  }
});

it('an expired key ends its stream', async () => {
  const soon = await cluster.fund('5', { expiresAt: Date.now() + paced(3_000) });
  const reader = await follow(soon.key);
  await reader.until(() => reader.ended, 'the stream ends at the expiry');
  assert.is(reader.of('error')[0]?.body.error?.code, 401);
});

async function assertRejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const failure = await promise.then(
    () => 'no failure',
    (thrown: unknown) => String(thrown),
  );
  assert.match(failure, pattern);
}

test.run();
