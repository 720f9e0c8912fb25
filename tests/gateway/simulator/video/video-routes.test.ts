import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../support/bounded.ts';
import { ffprobe } from '../../../support/video/ffprobe.ts';

const it = bounded(test);
const WAIT_MS = 30_000;
let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-v', keep: true });
});
test.after(() => simulator.close());

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly usage?: { readonly video_seconds: number };
}

function create(directive: object, members: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${simulator.baseUrl}/videos`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'filmstrip-2026', prompt: `a fox @sim ${JSON.stringify(directive)}`, ...members }),
    signal: AbortSignal.timeout(WAIT_MS),
  });
}

async function created(directive: object, members: object = {}): Promise<Shown> {
  return (await (await create({ render_ms: 0, ...directive }, members)).json()) as Shown;
}

function get(path: string): Promise<Response> {
  return fetch(`${simulator.baseUrl}/videos/${path}`, { signal: AbortSignal.timeout(WAIT_MS) });
}

const cancel = (id: string): Promise<Response> => fetch(`${simulator.baseUrl}/videos/${id}/cancel`, { method: 'POST' });

it('a job passes from queued to completed, and its content is the asked clip', async () => {
  const answer = await create({ render_ms: 400 }, { duration: 1, size: '640x360', generate_audio: true });
  assert.is(answer.status, 202);
  const { id, status } = (await answer.json()) as Shown;
  assert.is(status, 'queued');
  const seen = new Set<string>();
  while (!seen.has('completed')) seen.add(((await (await get(id)).json()) as Shown).status);
  const content = await get(`${id}/content?index=0`);
  assert.is(content.headers.get('content-type'), 'video/mp4');
  const clip = await ffprobe(new Uint8Array(await content.arrayBuffer()));
  assert.equal(clip, {
    seconds: '1.000000',
    frames: 24,
    fps: '24/1',
    width: 640,
    height: 360,
    audio: true,
    errors: '',
  });
});

it('a synchronous call is answered with the clip', async () => {
  const answer = await create({ render_ms: 0 }, { model: 'flipbook-2026', duration: 1 }, { accept: 'video/mp4' });
  const clip = await ffprobe(new Uint8Array(await answer.arrayBuffer()));
  assert.equal([clip.seconds, clip.width, clip.height, clip.audio], ['1.000000', 1_280, 720, false]);
});

it('a resolution and an aspect ratio are a size', async () => {
  const { id } = await created({}, { resolution: '1080p', aspect_ratio: '9:16', duration: 1 });
  const clip = await ffprobe(new Uint8Array(await (await get(`${id}/content`)).arrayBuffer()));
  assert.equal([clip.width, clip.height, clip.audio], [1_080, 1_920, false]);
});

it('an idempotency key makes one job, unless the directive says otherwise', async () => {
  const ids = async (directive: object, key: string): Promise<Set<string>> => {
    const answers = [1, 2].map(async () => (await create(directive, {}, { 'idempotency-key': key })).json());
    return new Set((await Promise.all(answers)).map((job) => (job as Shown).id));
  };
  assert.is((await ids({}, 'one')).size, 1);
  assert.is((await ids({ idempotent: false }, 'two')).size, 2);
  assert.equal(
    simulator.calls.filter(({ video }) => video?.idempotencyKey === 'one').map(({ video }) => video?.repeated),
    [false, true],
  );
});

it('a failed render names its code, and a lost job is unknown', async () => {
  const failed = await created({ fail: 'content_policy_violation' });
  assert.equal([failed.status, failed.error?.code], ['failed', 'content_policy_violation']);
  const lost = await created({ lost: true });
  assert.is((await get(lost.id)).status, 404);
});

it('a cancel ends a running job and reports what was rendered', async () => {
  const { id } = await created({ render_ms: 60_000, cancelled_seconds: 1.5 });
  const cancelled = (await (await cancel(id)).json()) as Shown;
  assert.equal([cancelled.status, cancelled.usage?.video_seconds], ['cancelled', 1.5]);
  const other = await created({ render_ms: 60_000, cancels: false });
  assert.is((await cancel(other.id)).status, 405);
});

it('a create can fail, be cut after it made its job, and fail only at first', async () => {
  assert.is((await create({ status: 503, id: 'f1', fail_first: 1 })).status, 503);
  assert.is((await create({ status: 503, id: 'f1', fail_first: 1 })).status, 202);
  const error = await create({ cut: 'create', id: 'cut1' }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Error);
  const call = simulator.calls.find(({ id }) => id === 'cut1');
  assert.is(call?.outcome, 'cut');
  assert.ok(call?.video?.job);
});

it('contents can be garbage, truncated or cut, and be of another length, size and sound', async () => {
  const html = await created({ garbage: 'html' });
  assert.is((await get(`${html.id}/content`)).headers.get('content-type'), 'text/html');
  const whole = await created({}, { duration: 1 });
  const truncated = await created({ garbage: 'truncated' }, { duration: 1 });
  const bytes = async ({ id }: Shown): Promise<number> => (await (await get(`${id}/content`)).arrayBuffer()).byteLength;
  assert.is(await bytes(truncated), (await bytes(whole)) >> 1);
  const cut = await created({ cut: 'content', bytes: 1_000_000 });
  assert.ok((await bytes(cut).catch((thrown: unknown) => thrown)) instanceof Error);
  const other = await created({ seconds: 2, size: '320x240', audio: false, head_last: true }, { duration: 1 });
  const clip = await ffprobe(new Uint8Array(await (await get(`${other.id}/content`)).arrayBuffer()));
  assert.equal([clip.seconds, clip.width, clip.audio, clip.errors], ['2.000000', 320, false, '']);
});

test.run();
