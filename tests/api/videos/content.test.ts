/** The read routes of video jobs: list, job, content by range, what each refuses. (rule V30, rule V31, rule V32, rule V34) */
import { Compile } from 'typebox/compile';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { videoJobListSchema, videoJobSchema } from '../../../gateway/api/videos/video-schema.ts';
import { bounded } from '../../support/bounded.ts';
import type { Funded, TestCluster } from '../../support/cluster/start-cluster.ts';
import { EventReader } from '../../support/stream/event-reader.ts';
import { type Asked, clientOf } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
const published = { job: Compile(videoJobSchema), list: Compile(videoJobListSchema) };
const POLL_MS = 50;

let cluster: TestCluster;
let funded: Funded;
let other: Funded;
/** A job with one clip, and the clip's bytes. */
let clip: { readonly id: string; readonly path: string; readonly bytes: Buffer };

test.before(async () => {
  cluster = await openCluster();
  [funded, other] = [await cluster.fund('100'), await cluster.fund('1')];
  const { id } = await submit({ render_ms: 100 });
  await until(id, 'completed');
  const path = `/videos/${id}/content`;
  clip = { id, path, bytes: Buffer.from(await (await call(`${path}?index=0`)).arrayBuffer()) };
});
test.after(() => cluster.close());

interface Job {
  readonly id: string;
  readonly status: string;
}

/** Any node answers for any job. */
let calls = 0;
function call(path: string, asked: Asked = {}, key = funded.key): Promise<Response> {
  return clientOf(cluster, key).send(path, { node: calls++, ...asked });
}

const range = (text: string, method = 'GET') => call(clip.path, { method, headers: { range: text } });

async function submit(directive: object): Promise<Job> {
  const prompt = `a lake @sim ${JSON.stringify(directive)}`;
  const body = { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' };
  return (await (await call('/videos', { body })).json()) as Job;
}

async function until(id: string, status: string): Promise<Job> {
  for (;;) {
    const job = (await (await call(`/videos/${id}`)).json()) as Job;
    assert.ok(published.job.Check(job), JSON.stringify(job));
    if (job.status === status) return job;
    assert.ok(['pending', 'in_progress'].includes(job.status), JSON.stringify(job));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

it('the whole clip has fixed headers under which no browser runs it (rule V35)', async () => {
  const answer = await call(clip.path);
  const header = (name: string) => answer.headers.get(name);
  assert.equal([answer.status, header('content-type')], [200, 'video/mp4']);
  assert.equal([header('content-length'), header('accept-ranges')], [String(clip.bytes.length), 'bytes']);
  assert.equal([header('x-content-type-options'), header('cache-control')], ['nosniff', 'private, no-store']);
  assert.is(header('content-disposition'), `attachment; filename="${clip.id}-0.mp4"`);
  assert.ok(clip.bytes.equals(Buffer.from(await answer.arrayBuffer())));
});

it('one range in any of its three forms is 206; a start past the end is 416 (rule V31)', async () => {
  const { length } = clip.bytes;
  const found: readonly (readonly [string, number, number])[] = [
    ['bytes=0-9', 0, 10],
    ['bytes=10-19', 10, 20],
    [`bytes=${length - 5}-`, length - 5, length],
    ['bytes=-7', length - 7, length],
    [`bytes=-${length * 2}`, 0, length],
    [`bytes=3-${length * 2}`, 3, length],
  ];
  for (const [header, from, to] of found) {
    const answer = await range(header);
    assert.equal([answer.status, answer.headers.get('content-range')], [206, `bytes ${from}-${to - 1}/${length}`]);
    assert.ok(clip.bytes.subarray(from, to).equals(Buffer.from(await answer.arrayBuffer())), header);
  }
  for (const header of [`bytes=${length}-`, `bytes=${length + 1}-${length + 2}`, 'bytes=-0']) {
    const answer = await range(header);
    assert.equal([answer.status, answer.headers.get('content-range')], [416, `bytes */${length}`], header);
    await answer.arrayBuffer();
  }
});

it('a range in any other form is ignored: the whole clip is sent (rule V31)', async () => {
  for (const header of [
    'bytes=0-1,4-5',
    'bytes=0-0,-1',
    'items=0-1',
    'bytes=5-2',
    'bytes=-',
    'bytes=a-b',
    'bytes 0-1',
  ]) {
    const answer = await range(header);
    const length = (await answer.arrayBuffer()).byteLength;
    assert.equal([answer.status, length], [200, clip.bytes.length], header);
  }
});

it('HEAD reports the length, whatever range it names, and fetches nothing (rule V31)', async () => {
  const job = await submit({ render_ms: 100 });
  await until(job.id, 'completed');
  const answer = await call(`/videos/${job.id}/content`, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
  assert.is(answer.status, 200);
  assert.ok(Number(answer.headers.get('content-length')) > 1_000);
  assert.is((await answer.arrayBuffer()).byteLength, 0);
  // Nothing was fetched, so the closing window expires the job; then its clip is gone.
  const address = `video-job:${funded.account.slice('account:'.length)}/${job.id}`;
  cluster.nodes[0]?.cluster.tell(address, { type: 'job.window' });
  await untilExpired(job.id);
  const gone = await call(`/videos/${job.id}/content`);
  const { error } = (await gone.json()) as { error: { message: string; metadata: { error_type: string } } };
  assert.equal([gone.status, error.metadata.error_type, /gone/.test(error.message)], [410, 'gone', true]);
  assert.is((await call(`/videos/${job.id}/content`, { method: 'HEAD' })).status, 410);
});

async function untilExpired(id: string): Promise<void> {
  while (((await (await call(`/videos/${id}`)).json()) as Job).status !== 'expired') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

it('a job of which a part was fetched stays completed when its window closes (rule V34)', async () => {
  const job = await submit({ render_ms: 100 });
  await until(job.id, 'completed');
  const part = await call(`/videos/${job.id}/content`, { headers: { range: 'bytes=1-2' } });
  assert.is((await part.arrayBuffer()).byteLength, 2);
  const address = `video-job:${funded.account.slice('account:'.length)}/${job.id}`;
  cluster.nodes[0]?.cluster.tell(address, { type: 'job.window' });
  // The next message to the job is stepped after that one.
  assert.is((await call(`/videos/${job.id}/cancel`, { method: 'POST' })).status, 409);
  assert.is((await until(job.id, 'completed')).status, 'completed');
});

it('an index beyond the clips is 404, one that is no number 400 (rule V30)', async () => {
  assert.is((await call(`${clip.path}?index=1`)).status, 404);
  for (const index of ['-1', 'x', '', '1.5']) assert.is((await call(`${clip.path}?index=${index}`)).status, 400, index);
});

it('content of a job that has not completed is 409, also for HEAD (rule V30)', async () => {
  const { id } = await submit({ render_ms: 600_000 });
  assert.is((await call(`/videos/${id}/content`)).status, 409);
  assert.is((await call(`/videos/${id}/content`, { method: 'HEAD' })).status, 409);
  assert.is((await call(`/videos/${id}/cancel`, { method: 'POST' })).status, 200);
});

it('unknown and malformed ids and those of another account have one 404 on every route (rule V36)', async () => {
  const unknown = `vjob_${'0'.repeat(32)}`;
  const answers = new Set<string>();
  for (const [id, key] of [
    [unknown, funded.key],
    ['vjob_1', funded.key],
    ['..%2f..', funded.key],
    [clip.id.toUpperCase(), funded.key],
    [clip.id, other.key],
  ] as const) {
    for (const [method, tail] of [
      ['GET', ''],
      ['GET', '/content'],
      ['POST', '/cancel'],
    ] as const) {
      const answer = await call(`/videos/${id}${tail}`, { method }, key);
      answers.add(`${answer.status} ${await answer.text()}`);
    }
  }
  assert.equal([...answers].length, 1, [...answers].join('\n'));
  assert.match([...answers].join(), /^404 .*No such video job/);
});

it('jobs are listed newest first, page by page, and only to their account (rule V37)', async () => {
  const mine = (await cluster.fund('10')).key;
  const made: string[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const body = JSON.stringify({ model: 'sim/filmstrip', prompt: 'x', duration: 1, resolution: '480p' });
    made.unshift(((await (await call('/videos', { method: 'POST', body }, mine)).json()) as Job).id);
  }
  const page = async (query: string) => {
    const list = (await (await call(`/videos${query}`, {}, mine)).json()) as {
      readonly data: readonly Job[];
      readonly has_more: boolean;
      readonly last_id: string;
    };
    assert.ok(published.list.Check(list), JSON.stringify(list));
    return list;
  };
  const first = await page('?limit=2');
  assert.equal([first.data.map(({ id }) => id), first.has_more], [made.slice(0, 2), true]);
  const second = await page(`?limit=2&after=${first.last_id}`);
  assert.equal([second.data.map(({ id }) => id), second.has_more], [made.slice(2), false]);
  for (const query of ['?limit=0', '?limit=101', '?after=vjob_1', '?limit=1&limit=2']) {
    assert.is((await call(`/videos${query}`, {}, mine)).status, 400, query);
  }
});

it('two downloads under way both complete (rule V32)', async () => {
  const both = await Promise.all([call(clip.path), call(clip.path)]);
  for (const answer of both) assert.ok(clip.bytes.equals(Buffer.from(await answer.arrayBuffer())));
});

it('each change of a job is an event of its account', async () => {
  const headers = { authorization: `Bearer ${funded.key}` };
  const reader = await EventReader.open(`${cluster.baseUrls[0]}/events?types=video.updated`, headers);
  await reader.until(() => reader.events.length > 0, 'the stream is open');
  const { id } = await submit({ render_ms: 100 });
  const jobs = () => reader.of('video.updated').map(({ body }) => body.data as unknown as Job);
  await reader.until(() => jobs().some((job) => job.id === id && job.status === 'completed'), 'the job is completed');
  reader.close();
  for (const job of jobs()) assert.ok(published.job.Check(job), JSON.stringify(job));
  assert.equal(
    jobs().findLast((job) => job.id === id),
    await until(id, 'completed'),
  );
});

test.run();
