import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { ffprobe } from '../../support/video/ffprobe.ts';
import { type Asked, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
const POLL_MS = 50;

const { cluster, send } = await openApi(test, openCluster, '100');

interface Job {
  readonly id: string;
  readonly status: string;
  readonly generation_id?: string;
  readonly unsigned_urls?: readonly string[];
  readonly clip_durations_seconds?: readonly number[];
  readonly usage?: { readonly cost: number | null; readonly video_seconds: number };
  readonly error?: { readonly code: number; readonly message: string; readonly error_type: string };
}

/** Any node answers for any job. */
let calls = 0;
function request(path: string, asked: Asked = {}): Promise<Response> {
  return send(path.replace(/^\/api\/v1/, ''), { node: calls++, ...asked });
}

async function submit(directive: object, members: object = {}): Promise<Job> {
  const prompt = `a lake at dawn @sim ${JSON.stringify({ render_ms: 200, ...directive })}`;
  const body = { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p', ...members };
  const answer = await request('/videos', { body });
  const job = (await answer.json()) as Job;
  assert.is(answer.status, 202, JSON.stringify(job));
  return job;
}

/** Polls until the job has ended; returns it with the statuses that were seen. */
async function ended({ id }: Job): Promise<Job & { readonly seen: readonly string[] }> {
  const seen = new Set<string>();
  for (;;) {
    const job = (await (await request(`/videos/${id}`)).json()) as Job;
    seen.add(job.status);
    if (job.status !== 'pending' && job.status !== 'in_progress') return { ...job, seen: [...seen] };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function contentOf({ unsigned_urls: [url = ''] = [] }: Job): Promise<Buffer> {
  const path = url.startsWith('http') ? new URL(url).pathname + new URL(url).search : url;
  const answer = await request(path);
  assert.equal([answer.status, answer.headers.get('content-type')], [200, 'video/mp4']);
  return Buffer.from(await answer.arrayBuffer());
}

async function balance(): Promise<number> {
  const { data } = (await (await request('/credits')).json()) as {
    data: { total_credits: number; total_usage: number };
  };
  return Number((data.total_credits - data.total_usage).toFixed(9));
}

it('a video is rendered, measured as ffprobe does, charged once and delivered', async () => {
  const before = await balance();
  const job = await ended(await submit({}, { duration: 1.5, generate_audio: true }));
  assert.is(job.status, 'completed', JSON.stringify(job));
  const clip = await ffprobe(await contentOf(job));
  assert.equal(
    [clip.seconds, clip.frames, clip.width, clip.height, clip.audio, clip.errors],
    ['1.500000', 36, 854, 480, true, ''],
  );
  assert.equal(job.clip_durations_seconds, [1.5]);
  assert.equal(job.usage?.video_seconds, 1.5);
  assert.is(Number((before - (await balance())).toFixed(9)), job.usage?.cost);
  const record = (await (await request(`/generation?id=${job.generation_id}`)).json()) as {
    data: Record<string, unknown>;
  };
  const { total_cost, provider_name, api_type, media } = record.data;
  assert.equal([total_cost, provider_name, api_type], [job.usage?.cost, 'Sim V', 'video']);
  assert.is((media as Record<string, unknown>).video_seconds, 1.5);
});

it('a synchronous endpoint delivers a silent clip', async () => {
  const job = await ended(await submit({}, { model: 'sim/flipbook', duration: 2, resolution: undefined }));
  assert.is(job.status, 'completed', JSON.stringify(job));
  const clip = await ffprobe(await contentOf(job));
  assert.equal([clip.seconds, clip.width, clip.height, clip.audio], ['2.000000', 1_280, 720, false]);
});

it('a clip outside the request fails the job and charges nothing (rule V19)', async () => {
  const before = await balance();
  const job = await ended(await submit({ seconds: 3 }));
  assert.equal([job.status, job.error?.code, job.error?.error_type], ['failed', 502, 'provider_unavailable']);
  assert.match(job.error?.message ?? '', /lasts 3 seconds instead of 1/);
  assert.is(job.usage, undefined);
  assert.is(await balance(), before);
  const { data } = (await (await request(`/generation?id=${job.generation_id}`)).json()) as {
    data: { api_type: string; failure: unknown; provider_responses: readonly Record<string, unknown>[] };
  };
  assert.is(data.api_type, 'video');
  assert.equal(data.failure, { reason: job.error?.message, status: 502 });
  assert.equal(
    data.provider_responses.map(({ provider_name, status, outcome, reason }) => [
      provider_name,
      status,
      outcome,
      reason,
    ]),
    [['Sim V', 200, 'failed', 'garbage']],
  );
});

it('a clip of a lower resolution than the named one fails the job and charges nothing (rule V19)', async () => {
  const before = await balance();
  for (const members of [{ resolution: '1080p', aspect_ratio: '16:9' }, { resolution: '1080p' }]) {
    const job = await ended(await submit({ size: '854x480' }, members));
    assert.equal([job.status, job.error?.code, job.usage], ['failed', 502, undefined]);
    assert.match(job.error?.message ?? '', /its size is 854x480 instead of 1(920x1)?080/);
  }
  assert.is(await balance(), before);
  assert.is((await ended(await submit({ size: '864x496' }, { aspect_ratio: '16:9' }))).status, 'completed');
});

it('a cancelled render is aborted at its provider and charged by what that reports (rule V28)', async () => {
  const before = await balance();
  const job = await submit({ render_ms: 600_000, cancelled_seconds: 0.5, id: 'to-cancel' });
  const provider = cluster.simulators[1];
  while (!provider?.calls.some(({ id, video }) => id === 'to-cancel' && video?.route === 'poll')) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  assert.is((await request(`/videos/${job.id}/cancel`, { body: {} })).status, 200);
  const cancelled = await ended(job);
  assert.is(cancelled.status, 'cancelled');
  assert.is(provider.calls.filter(({ id, video }) => id === 'to-cancel' && video?.route === 'cancel').length, 1);
  assert.is(Number((before - (await balance())).toFixed(9)), cancelled.usage?.cost ?? 0);
  assert.is(cancelled.usage?.video_seconds, 0.5);
});

it('a render that its provider accepts while the job is cancelled is aborted there, uncharged', async () => {
  const before = await balance();
  const job = await submit({ render_ms: 600_000, create_ms: 1_500, cancelled_seconds: 0.5, id: 'cancelled-early' });
  const calls = (route: string) =>
    (cluster.simulators[1]?.calls ?? []).filter(({ id, video }) => id === 'cancelled-early' && video?.route === route);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  };
  await until(() => calls('create').length === 1);
  assert.is((await request(`/videos/${job.id}/cancel`, { body: {} })).status, 200);
  assert.is((await ended(job)).status, 'cancelled');
  await until(() => calls('cancel').length === 1);
  assert.is(calls('cancel')[0]?.video?.job, calls('create')[0]?.video?.job);
  assert.equal([calls('poll').length, (await ended(job)).usage], [0, undefined]);
  assert.is(await balance(), before);
});

test.run();
