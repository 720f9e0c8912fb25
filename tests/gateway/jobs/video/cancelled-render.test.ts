/** The interleavings of the end of an attempt with its calls to a provider: none begins afterwards, none is forgotten. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ActivityFailed } from '../../../../actors/runtime/index.ts';
import type { RemoteRender } from '../../../../actors/video-job/render-ask.ts';
import { bounded } from '../../../support/bounded.ts';
import { activityFailure, on, type RenderScene, type RenderSceneOptions, SYNC } from './scene.ts';

const it = bounded(test, 60_000);

/** Runs one attempt that may be cancelled at any instant. */
interface Cancelled {
  readonly cancel: () => void;
  readonly signal: AbortSignal;
}

function cancellable(): Cancelled {
  const controller = new AbortController();
  const reason = new ActivityFailed('cancelled', 'the job was cancelled', false);
  return { cancel: () => controller.abort(reason), signal: controller.signal };
}

/** Provider and runner share this process, so a check before each turn sees a call before any answer to it. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** An attempt that is cancelled with this report, which its job has taken: the answer says to go on. */
function cancelledWith(report: string, work: (on: RenderScene, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { cancel, signal } = cancellable();
  const options: RenderSceneOptions = { reported: (type) => void (type === report && cancel()) };
  return on((on) => work(on, signal), options);
}

it('an attempt that is cancelled while its beginning is reported sends nothing, to either kind of provider', async () => {
  for (const isSync of [true, false]) {
    await cancelledWith('render.begin', async (on, signal) => {
      const candidates = [on.candidate(isSync ? { target: SYNC(on.simulator.baseUrl) } : {})];
      assert.is((await activityFailure(on.run(on.input({}, { candidates }), { signal }))).code, 'cancelled');
      assert.is(on.calls('create').length, 0);
    });
  }
});

it('an attempt that is cancelled while it moves on asks no further candidate', () =>
  cancelledWith('render.moved', async (on, signal) => {
    const gone = on.candidate({ endpoint: 'ep_0', target: SYNC('http://127.0.0.1:9/v1') });
    const candidates = [gone, on.candidate({ target: SYNC(on.simulator.baseUrl) })];
    assert.is((await activityFailure(on.run(on.input({}, { candidates }), { signal }))).code, 'cancelled');
    assert.is(on.calls('create').length, 0);
  }));

it('an attempt that is cancelled while it gets the key of its clip sends nothing', () =>
  on(async (on) => {
    const { cancel, signal } = cancellable();
    const current = on.keys.current.bind(on.keys);
    on.keys.current = async () => {
      cancel();
      return current();
    };
    const candidates = [on.candidate({ target: SYNC(on.simulator.baseUrl) })];
    assert.is((await activityFailure(on.run(on.input({}, { candidates }), { signal }))).code, 'cancelled');
    assert.is(on.calls('create').length, 0);
  }));

it('an attempt that is cancelled between the last poll and the clip reads no clip', () =>
  on(async (on) => {
    const { cancel, signal } = cancellable();
    Object.assign(on.jobs, { crashpoint: (name: string) => void (name === 'vjob.rendered' && cancel()) });
    assert.is((await activityFailure(on.run(on.input({}), { signal }))).code, 'cancelled');
    assert.equal([on.calls('create').length, on.calls('content').length], [1, 0]);
  }));

it('an attempt that is cancelled during the call that renders ends that call', () =>
  on(async (on) => {
    const { cancel, signal } = cancellable();
    const candidates = [on.candidate({ target: SYNC(on.simulator.baseUrl) })];
    const run = activityFailure(on.run(on.input({ render_ms: 600_000 }, { candidates }), { signal }));
    await until(() => on.calls('create').length === 1);
    cancel();
    assert.is((await run).code, 'cancelled');
    await until(() => on.calls('create')[0]?.outcome === 'aborted');
  }));

it('the job that a provider makes during the cancel is reported, so that its chart can abort it, and not polled (rule V28)', () =>
  on(async (on) => {
    const { cancel, signal } = cancellable();
    const run = activityFailure(on.run(on.input({ render_ms: 600_000, create_ms: 300 }), { signal }));
    await until(() => on.calls('create').length === 1);
    cancel();
    assert.is((await run).code, 'cancelled');
    assert.equal(on.reports(), ['render.begin', 'render.submitted']);
    assert.equal(
      (on.asks.at(-1)?.event.remote as RemoteRender | undefined)?.providerJobId,
      on.calls('create')[0]?.video?.job,
    );
    assert.is(on.calls('poll').length, 0);
  }));

it('of one account at most as many such answers are awaited as it may have renders; the other calls are cut', () =>
  on(
    async (on) => {
      const attempts = [1, 2, 3].map(() => {
        const { cancel, signal } = cancellable();
        const input = on.input({ render_ms: 600_000, create_ms: 500, idempotent: false });
        return { cancel, ended: activityFailure(on.run(input, { signal })) };
      });
      await until(() => on.calls('create').length === 3);
      for (const { cancel } of attempts) cancel();
      await Promise.all(attempts.map(({ ended }) => ended));
      assert.is(on.reports().filter((type) => type === 'render.submitted').length, 2);
      // The places are free again.
      const { cancel, signal } = cancellable();
      const last = activityFailure(
        on.run(on.input({ render_ms: 600_000, create_ms: 300, idempotent: false }), { signal }),
      );
      await until(() => on.calls('create').length === 4);
      cancel();
      await last;
      assert.is(on.reports().filter((type) => type === 'render.submitted').length, 3);
    },
    { renders: { runningPerAccountMax: 2 } },
  ));

test.run();
