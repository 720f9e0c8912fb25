import { Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ActivityFailed, BlobsRefused, systemClock } from '../../../../actors/runtime/index.ts';
import { PAUSES_TOPIC } from '../../../../actors/terms/pause.ts';
import config from '../../../../cluster.config.ts';
import { RequestMetrics } from '../../../../gateway/operator/metrics/request-metrics.ts';
import { JobPace } from '../../../../gateway/overload/job-pace.ts';
import type { VideoDirective } from '../../../../gateway/simulator/video/video-request.ts';
import type { RenderLimits } from '../../../../gateway/terms/config/render-limits.ts';
import { bounded } from '../../../support/bounded.ts';
import { ffprobe } from '../../../support/video/ffprobe.ts';
import { ASK, activityFailure, asset, completedOf, failedOf, JOB, on, SYNC } from './scene.ts';

const it = bounded(test, 60_000);

const SHEDDING = { overload: { mayDispatch: () => false }, live: { isPresent: false }, busyMs: () => 0 };

it('a render is begun, reported, polled, stored, measured and priced', () =>
  on(async (on) => {
    const result = completedOf(await on.run(on.input({ render_ms: 50 })));
    assert.equal(on.reports(), ['render.begin', 'render.submitted']);
    assert.equal(on.crashpoints, ['vjob.rendered', 'vjob.stored']);
    const [clip] = result.clips;
    const { durationSeconds, frames, width, height, fps, audio } = clip ?? {};
    assert.equal([durationSeconds, frames, width, height, fps, audio], ['1', 24, 320, 240, '24', false]);
    const bytes = await on.clipOf(result);
    assert.is(clip?.bytes, bytes.length);
    const probed = await ffprobe(bytes);
    assert.equal([probed.seconds, probed.frames, probed.errors], ['1.000000', 24, '']);
    const { cost, unpriced, media, served, upstreamId, attempts } = result.settlement;
    assert.equal([cost, unpriced, media], ['0.05', [], { videoSeconds: '1' }]);
    assert.equal(served, { endpoint: 'ep_1', provider: 'Sim V', tariff: 'tar_1' });
    assert.is(upstreamId, on.calls('create')[0]?.video?.job);
    assert.equal(
      attempts.map(({ outcome }) => outcome),
      ['served'],
    );
    assert.not.match(JSON.stringify(result), /a fox/);
  }));

it('seconds without a declared rate are recorded as unpriced', () =>
  on(async (on) => {
    const candidates = [on.candidate({ rate: null })];
    const { settlement } = completedOf(await on.run(on.input({}, { candidates })));
    assert.equal([settlement.cost, settlement.unpriced], ['0', ['video_second']]);
  }));

it('a synchronous endpoint answers with the clip', () =>
  on(async (on) => {
    const candidates = [on.candidate({ target: SYNC(on.simulator.baseUrl) })];
    const result = completedOf(await on.run(on.input({}, { candidates })));
    assert.equal([result.clips[0]?.durationSeconds, result.clips[0]?.audio], ['1', false]);
    assert.equal(on.reports(), ['render.begin']);
    assert.is(result.settlement.upstreamId, null);
  }));

it('an endpoint receives the geometry in its own form, the options and the assets', () =>
  on(async (on) => {
    const pieces = [Buffer.from('first frame!'), Buffer.from('a voice'), Buffer.from('x')];
    const assets = await on.sealAssets(pieces);
    const ask = {
      ...ASK,
      ...{
        prompt: 'a "fox"\n@sim {"render_ms":0,"size":"320x240"}',
        durationSeconds: '1.5',
        seed: 7,
        generateAudio: true,
      },
      assets: [
        asset('image', 'first_frame', 0, 12),
        asset('audio', 'reference', 12, 7),
        asset('video', 'depth', 19, 1),
      ],
    };
    const geometry = { size: null, resolution: '720p', aspectRatio: '9:16' };
    const options = { adapters: [{ id: 'ink', revision: '3', strength: 0.5 }], seed: 1 };
    const candidates = [on.candidate({ geometry, options })];
    completedOf(await on.run(on.input(null, { ask, assets, candidates })));
    const call = on.calls('create')[0];
    assert.equal(call?.body as unknown, {
      adapters: options.adapters,
      ...{ seed: 7, model: 'filmstrip-2026', prompt: ask.prompt, resolution: '720p', aspect_ratio: '9:16' },
      ...{ generate_audio: true, duration: 1.5 },
      frame_images: [
        {
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${pieces[0]?.toString('base64')}` },
          frame_type: 'first_frame',
        },
      ],
      input_references: [
        {
          type: 'audio_url',
          audio_url: { url: `data:audio/mp4;base64,${pieces[1]?.toString('base64')}` },
          role: 'reference',
        },
        {
          type: 'video_url',
          video_url: { url: `data:video/mp4;base64,${pieces[2]?.toString('base64')}` },
          role: 'depth',
        },
      ],
    });
    assert.is(Number(call?.headers['content-length']), Buffer.byteLength(JSON.stringify(call?.body)));
  }));

it('a later attempt polls the render of an earlier one and creates none', () =>
  on(async (on) => {
    await on.run(on.input({}));
    const providerJobId = on.calls('create')[0]?.video?.job ?? '';
    on.state.begun = { candidate: 0, remote: { candidate: 0, providerJobId, createdAt: Date.now() } };
    const again = completedOf(await on.run(on.input({}), { attempt: 2 }));
    assert.is(on.calls('create').length, 1);
    assert.is(again.settlement.cost, '0.05');
  }));

it('a superseded attempt stops before the provider, and before the first poll', async () => {
  await on(
    async (on) => {
      assert.is((await activityFailure(on.run(on.input({})))).code, 'superseded');
      assert.is(on.calls('create').length, 0);
    },
    { staleFrom: 'render.begin' },
  );
  await on(
    async (on) => {
      assert.is((await activityFailure(on.run(on.input({})))).code, 'superseded');
      assert.equal([on.calls('create').length, on.calls('poll').length], [1, 0]);
    },
    { staleFrom: 'render.submitted' },
  );
});

it('a candidate that fails is followed by the next one, which is reported first', () =>
  on(async (on) => {
    const input = on.input(
      {},
      {
        candidates: [on.candidate({ endpoint: 'ep_0', target: { ...SYNC('http://127.0.0.1:9/v1') } }), on.candidate()],
      },
    );
    const { settlement } = completedOf(await on.run(input));
    assert.equal(on.reports(), ['render.begin', 'render.moved', 'render.submitted']);
    assert.equal(
      settlement.attempts.map(({ endpoint, outcome, reason }) => [endpoint, outcome, reason]),
      [
        ['ep_0', 'failed', 'unavailable'],
        ['ep_0', 'failed', 'unavailable'],
        ['ep_1', 'served', undefined],
      ],
    );
    on.jobs.outcomes.flush();
    assert.ok(on.tells.length > 0, 'the endpoints learn how their renders went');
  }));

it('a paused candidate is passed over without a call, and a render under way there ends', () =>
  on(async (on) => {
    const candidates = [on.candidate({ endpoint: 'ep_0' }), on.candidate()];
    const pause = { reason: 'r', since: 1 };
    on.cluster.board.publish(PAUSES_TOPIC, 'ep_0', pause);
    const { settlement } = completedOf(await on.run(on.input({}, { candidates })));
    assert.equal(
      settlement.attempts.map(({ endpoint }) => endpoint),
      ['ep_1'],
    );
    on.cluster.board.publish(PAUSES_TOPIC, 'ep_1', pause);
    const failed = failedOf(await on.run(on.input({}, { candidates })));
    assert.equal([failed.error.code, failed.settlement], [502, null]);
    assert.is(on.calls('create').length, 1);
    const [{ video } = { video: undefined }] = on.calls('create');
    on.state.begun = {
      candidate: 1,
      remote: { candidate: 1, providerJobId: String(video?.job), createdAt: Date.now() },
    };
    completedOf(await on.run(on.input({}, { candidates })));
  }));

const FAILURES: readonly (readonly [string, VideoDirective, number, string, Partial<RenderLimits>?])[] = [
  ['a render that fails', { fail: 'internal_error' }, 502, 'provider_unavailable'],
  ['a refusal of the content', { fail: 'content_policy_violation' }, 403, 'content_policy_violation'],
  ['a refused request', { status: 422 }, 400, 'invalid_request'],
  ['an overloaded provider', { status: 429 }, 503, 'provider_overloaded'],
  ['a broken provider', { status: 500 }, 502, 'provider_unavailable'],
  ['a lost job', { lost: true }, 502, 'provider_unavailable'],
  ['an answer that is no job', { garbage: 'create' }, 502, 'provider_unavailable'],
  ['an answer that never comes', { hang: 'create' }, 504, 'timeout', { createMs: 300 }],
  ['polls that never answer', { hang: 'poll' }, 504, 'timeout', { pollAnswerMs: 200, silentMs: 100 }],
  ['polls that are garbage', { garbage: 'poll' }, 502, 'provider_unavailable', { silentMs: 100 }],
  ['a render without end', { render_ms: 600_000 }, 504, 'timeout', { renderMs: 100 }],
  ['a page instead of a clip', { garbage: 'html' }, 502, 'provider_unavailable'],
  ['bytes that are no clip', { garbage: 'bytes' }, 502, 'provider_unavailable'],
  ['half a clip', { garbage: 'truncated' }, 502, 'provider_unavailable'],
  ['a transfer that breaks each time', { cut: 'content', bytes: 500_000 }, 502, 'provider_unavailable'],
  ['a longer clip', { seconds: 2 }, 502, 'provider_unavailable'],
  ['a shorter clip', { seconds: 0.5 }, 502, 'provider_unavailable'],
  ['a clip of another size', { size: '640x480' }, 502, 'provider_unavailable'],
];

for (const [name, directive, code, type, renders = {}] of FAILURES) {
  it(`${name} fails the job without a charge, in our words (rule V26)`, () =>
    on(
      async (on) => {
        const { error, settlement, fault } = failedOf(await on.run(on.input(directive)));
        assert.equal([error.code, error.error_type, settlement, fault], [code, type, null, null]);
        assert.not.match(error.message, /simulated|@sim/);
        const lines = on.logs.filter((line) => (line as { job?: string }).job === JOB);
        assert.is(lines.length, 1, JSON.stringify(lines));
        assert.match(JSON.stringify(lines), /"level":"warn".*"endpoint":"ep_1","reason":"\w+","detail":"[^"]+"/);
        assert.not.match(JSON.stringify(lines), /simulated|@sim/);
        assert.is(on.calls('create').length, directive.status === 429 ? 2 : 1);
        assert.equal(await on.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
      },
      { renders },
    ));
}

it('sound against the request fails the job', () =>
  on(async (on) => {
    const admitted = { ...on.candidate().admitted, audio: false };
    const result = failedOf(await on.run(on.input({ audio: true }, { candidates: [on.candidate({ admitted })] })));
    assert.match(result.error.message, /soundtrack/);
  }));

it('a cut create is repeated only where the provider knows its key, and then renders once (rule V24)', () =>
  on(async (on) => {
    const cut = on.input({ cut: 'create', id: 'c1' }, { candidates: [on.candidate({ idempotentCreate: true })] });
    failedOf(await on.run(cut));
    const creates = on.calls('create');
    assert.equal(
      creates.map(({ video }) => video?.idempotencyKey),
      ['gen-1:0', 'gen-1:0', 'gen-1:0'],
    );
    assert.is(new Set(creates.map(({ video }) => video?.job)).size, 1);
    const other = on.input({ cut: 'create', id: 'c2', idempotent: false });
    failedOf(await on.run(other));
    assert.is(on.calls('create').filter(({ id }) => id === 'c2').length, 1);
  }));

it('an uncertain create goes on with the next candidate (rule V24)', () =>
  on(async (on) => {
    const input = on.input({ status: 500, id: 's1', fail_first: 1 }, { candidates: [on.candidate(), on.candidate()] });
    completedOf(await on.run(input));
    assert.is(on.calls('create').length, 2);
  }));

it('a refusal of the request is the answer, and no other candidate is asked (rule V26)', () =>
  on(async (on) => {
    const input = on.input({ status: 400 }, { candidates: [on.candidate(), on.candidate()] });
    assert.is(failedOf(await on.run(input)).error.code, 400);
    assert.is(on.calls('create').length, 1);
  }));

it('polls that fail for a while, and a clip that breaks once, are repeated', () =>
  on(async (on) => {
    completedOf(await on.run(on.input({ polls_fail: 4 })));
    assert.is(on.calls('create').length, 1);
    assert.ok(on.calls('poll').length >= 5);
  }));

it('a clip that the store refuses for good is charged as the fault of the marketplace (rule V23)', () =>
  on(async (on) => {
    on.blobs.put = async (source) => {
      for await (const _ of source) throw new BlobsRefused('full', 'the disk is full');
      throw new Error('no piece');
    };
    const { error, fault, settlement } = failedOf(await on.run(on.input({})));
    assert.equal([error.code, error.error_type, fault], [500, 'server', 'marketplace']);
    assert.equal([settlement?.cost, settlement?.media], ['0.05', { videoSeconds: '1' }]);
    assert.equal([on.calls('create').length, on.calls('content').length], [1, 3]);
  }));

it('a store that refuses once is asked again with the content of the same render', () =>
  on(async (on) => {
    const put = on.blobs.put.bind(on.blobs);
    let refused = false;
    on.blobs.put = async (source) => {
      if (refused) return put(source);
      refused = true;
      throw new BlobsRefused('busy', 'too many writes');
    };
    completedOf(await on.run(on.input({})));
    assert.equal([on.calls('create').length, on.calls('content').length], [1, 2]);
  }));

it('an unreachable key store is a failure of the service: nothing is rendered that could not be kept (rule V13)', () =>
  on(async (on) => {
    on.keys.cut = true;
    const failure = await activityFailure(on.run(on.input(null, { ask: { ...ASK, prompt: null } })));
    assert.equal([failure.code, failure.retriable, on.calls('create').length], ['unavailable', true, 0]);
    assert.equal(await on.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
  }));

it('nothing is sent while the node sheds load, and an abort ends every wait (rule E48)', async () => {
  await on(
    async (on) => {
      const aborted = new AbortController();
      const run = activityFailure(on.run(on.input({}), { signal: aborted.signal }));
      aborted.abort(new ActivityFailed('cancelled', 'the job was cancelled', false));
      assert.is((await run).code, 'cancelled');
      assert.equal(on.reports(), []);
    },
    { pace: new JobPace({ ...SHEDDING, clock: systemClock, limits: config.overload }) },
  );
  for (const directive of [
    { render_ms: 60_000 },
    { hang: 'poll' },
    { hang: 'content' },
    { hang: 'midway' },
    { hang: 'create' },
  ] as const) {
    await on(
      async (on) => {
        const aborted = new AbortController();
        const run = activityFailure(on.run(on.input(directive), { signal: aborted.signal }));
        const route = 'hang' in directive ? (directive.hang === 'midway' ? 'content' : directive.hang) : 'poll';
        while (on.calls(route).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        aborted.abort(new ActivityFailed('cancelled', 'the job was cancelled', false));
        assert.is((await run).code, 'cancelled');
      },
      // The answer of a create is awaited.
      { renders: { createMs: 300 } },
    );
  }
});

it('an aborted render is charged by what its provider reports, and never more than was admitted (rule V28)', () =>
  on(async (on) => {
    const remote = async (cancelled_seconds?: number) => {
      const aborted = new AbortController();
      const directive = {
        render_ms: 60_000,
        idempotent: false,
        ...(cancelled_seconds === undefined ? {} : { cancelled_seconds }),
      };
      const before = on.calls('create').length;
      const run = activityFailure(on.run(on.input(directive), { signal: aborted.signal }));
      while (!on.reports().slice(-1)[0]?.endsWith('submitted') || on.calls('create').length === before) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      aborted.abort(new ActivityFailed('cancelled', 'the job was cancelled', false));
      await run;
      const providerJobId = on.calls('create').at(-1)?.video?.job ?? '';
      return on.abort({ candidate: 0, providerJobId, createdAt: Date.now() }, on.candidate());
    };
    const { settlement } = await remote(2.5);
    assert.equal(
      [settlement?.cost, settlement?.media, settlement?.cancelled],
      ['0.125', { videoSeconds: '2.5' }, true],
    );
    assert.is((await remote(500)).settlement?.media?.videoSeconds, '10');
    assert.is((await remote()).settlement, null);
    assert.is((await remote(0)).settlement, null);
  }));

it('a render and an aborted one are seen in render time, calls and USD of their model and provider', async () => {
  const registry = new Registry();
  const usd = async (): Promise<number> =>
    Number(/\ntroupe_usd_total\{[^}]*provider="Sim V"\} ([\d.]+)/.exec(await registry.metrics())?.[1] ?? 0);
  await on(
    async (on) => {
      const { cost } = completedOf(await on.run(on.input({}))).settlement;
      const metrics = await registry.metrics();
      assert.match(metrics, /\ntroupe_render_seconds_count\{[^}]*provider="Sim V"\} 1\n/);
      assert.match(metrics, /\ntroupe_attempts_total\{[^}]*provider="Sim V",outcome="served"\} 1\n/);
      assert.is(await usd(), Number(cost));
      const aborted = new AbortController();
      const directive = { render_ms: 60_000, idempotent: false, cancelled_seconds: 0.5 };
      const run = activityFailure(on.run(on.input(directive), { signal: aborted.signal }));
      while (on.reports().filter((report) => report === 'render.submitted').length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      aborted.abort(new ActivityFailed('cancelled', 'the job was cancelled', false));
      await run;
      const job = String(on.calls('create').at(-1)?.video?.job);
      const { settlement } = await on.abort(
        { candidate: 0, providerJobId: job, createdAt: Date.now() },
        on.candidate(),
      );
      assert.ok(Math.abs((await usd()) - Number(cost) - Number(settlement?.cost)) < 1e-12);
      assert.ok(Number(settlement?.cost) > 0);
      assert.match(await registry.metrics(), /\ntroupe_render_seconds_count\{[^}]*\} 1\n/);
    },
    { measures: new RequestMetrics(registry) },
  );
});

test.run();
