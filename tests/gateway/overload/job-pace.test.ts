import { setMaxListeners } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { JobPace } from '../../../gateway/overload/job-pace.ts';
import { LiveTraffic } from '../../../gateway/overload/live-traffic.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

/** Lines of batches on one node, in virtual time. */
const it = bounded(test);
/** Milliseconds of the loop for one line, in steps, with waits for the store and the provider between them. */
const LINE = { steps: 4, stepMs: 0.5, waitMs: 4 };
const CAPACITY = 1_000 / (LINE.steps * LINE.stepMs);
/** As many as the runner of activities runs on a node, and for one account. */
const LINES_MAX = 256;
const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

class Scene {
  readonly loop = new LoopModel();
  readonly live = new LiveTraffic(this.loop, config.overload);
  sheds = false;
  readonly pace = new JobPace({
    clock: this.loop,
    limits: config.overload,
    overload: { mayDispatch: () => !this.sheds },
    live: this.live,
    busyMs: () => this.loop.worked,
  });
  readonly ended: Record<string, number> = {};
  /** Of live requests: how late a step of theirs ran. */
  late: number[] = [];

  /** Lines of one account, so many at a time. */
  lines(account: string, inFlight: number, waitMs = LINE.waitMs): void {
    const lane = async (): Promise<void> => {
      for (;;) {
        await this.pace.enter(account, { signal: NEVER, waitMs: 1e9 });
        for (let step = 0; step < LINE.steps; step++) {
          this.loop.spend(LINE.stepMs);
          await this.loop.wait(waitMs);
        }
        this.ended[account] = (this.ended[account] ?? 0) + 1;
      }
    };
    for (let nth = 0; nth < inFlight; nth++) this.loop.after(0, () => void lane());
  }

  /** Live requests, each of which works for so long, until then. */
  requests(perSecond: number, workMs: number, until: number): void {
    const everyMs = 1_000 / perSecond;
    const next = (dueAt: number): void => {
      if (dueAt >= until) return;
      this.loop.after(dueAt - this.loop.monotonic(), () => {
        this.late.push(this.loop.monotonic() - dueAt);
        this.live.note();
        this.loop.spend(workMs);
        next(dueAt + everyMs);
      });
    };
    next(this.loop.monotonic());
  }

  endedOf(account: string): number {
    return this.ended[account] ?? 0;
  }

  /** How much of the loop is used from now on, in percent. */
  async busyPercent(ms: number): Promise<number> {
    const { worked } = this.loop;
    const from = this.loop.monotonic();
    await this.loop.run(from + ms);
    return (100 * (this.loop.worked - worked)) / (this.loop.monotonic() - from);
  }
}

it('lines use all of an event loop without live requests (rule E48)', async () => {
  const scene = new Scene();
  scene.lines('a', LINES_MAX);
  await scene.loop.run(3_000);
  assert.ok(scene.endedOf('a') > CAPACITY * 2.7, `${scene.endedOf('a')} of ${CAPACITY * 3}`);
});

it('beside live requests lines keep the event loop below its bound, and use what live requests leave of it (rule E48)', async () => {
  for (const [perSecond, workMs] of [
    [5, 2],
    [100, 2],
  ] as const) {
    const scene = new Scene();
    scene.lines('a', LINES_MAX);
    scene.requests(perSecond, workMs, 60_000);
    await scene.loop.run(5_000);
    const percent = await scene.busyPercent(20_000);
    const bound = config.overload.jobBusyPercentMax;
    assert.ok(percent > bound * 0.75 && percent < bound * 1.15, `${perSecond}/s: ${percent} %`);
  }
});

/** The p99 of live requests of eight steps, 20/s for 30 s, beside so many lanes of lines, ms. */
async function besideLines(lanes: number): Promise<number> {
  const scene = new Scene();
  const { loop, live } = scene;
  for (let nth = 0; nth < lanes; nth++) scene.lines('a', 1, 2 + ((nth * 7) % 12) / 2);
  const times: number[] = [];
  const request = async (nth: number): Promise<void> => {
    live.note();
    const from = loop.monotonic();
    for (let step = 0; step < 8; step++) {
      loop.spend(0.25);
      await loop.wait(0.5 + ((nth * 13 + step * 5) % 20) / 20);
    }
    times.push(loop.monotonic() - from);
  };
  for (let nth = 0; nth < 600; nth++) loop.after(nth * 50 + ((nth * 11) % 17), () => void request(nth));
  await loop.run(31_000);
  // The first ones meet what had begun before them.
  const settled = times.slice(100).sort((a, b) => a - b);
  return settled[Math.floor(settled.length * 0.99)] as number;
}

it('lines without end make live requests at most a quarter slower', async () => {
  const [quiet, beside] = [await besideLines(0), await besideLines(64)];
  assert.ok(beside <= quiet * 1.25, `${beside} ms, quiet ${quiet} ms`);
});

it('where live requests need more than the bound, lines begin at the least rate', async () => {
  const scene = new Scene();
  scene.lines('a', LINES_MAX);
  scene.requests(400, 2, 60_000);
  await scene.loop.run(5_000);
  const before = scene.endedOf('a');
  await scene.loop.run(15_000);
  const perSecond = (scene.endedOf('a') - before) / 10;
  const least = config.overload.jobsPerSecondMin;
  assert.ok(perSecond >= least * 0.9 && perSecond <= least * 1.2, `${perSecond}/s`);
});

it('a live request that comes to a node full of lines waits for the first of its steps alone', async () => {
  const scene = new Scene();
  for (let nth = 0; nth < LINES_MAX / 8; nth++) scene.lines(`account ${nth}`, 8);
  await scene.loop.run(1_000);
  scene.requests(20, 1, 20_000);
  await scene.loop.run(20_000);
  // What had begun before the first request ends within a second.
  const late = scene.late.slice(20).sort((a, b) => a - b);
  assert.ok((late[Math.floor(late.length * 0.99)] as number) < 20, `${late.at(-1)} ms`);
});

it('lines that wait for their provider for long begin as often as short ones', async () => {
  const scene = new Scene();
  scene.lines('a', LINES_MAX, 2_000);
  scene.requests(5, 1, 60_000);
  await scene.loop.run(20_000);
  const before = scene.endedOf('a');
  await scene.loop.run(60_000);
  // 256 lines that take 8 s each.
  assert.ok(scene.endedOf('a') - before > LINES_MAX * 4, `${scene.endedOf('a') - before}`);
});

it('accounts take turns: one with two hundred lines leaves half to one with eight', async () => {
  const scene = new Scene();
  scene.lines('greedy', 200);
  scene.lines('modest', 8);
  scene.requests(50, 2, 60_000);
  await scene.loop.run(20_000);
  const { greedy = 0, modest = 0 } = scene.ended;
  assert.ok(modest > greedy * 0.8, `${modest} beside ${greedy}`);
});

it('measures nothing without jobs', async () => {
  const scene = new Scene();
  scene.requests(50, 2, 1_000);
  await scene.loop.run(500);
  void scene.pace.enter('a', { signal: NEVER, waitMs: 1_000 });
  await scene.loop.run(10_000);
  let tasks = 0;
  const { loop } = scene;
  const after = loop.after.bind(loop);
  loop.after = (ms, run) => {
    tasks++;
    return after(ms, run);
  };
  await loop.run(20_000);
  assert.is(tasks, 0);
});

it('none begins while the node sheds load, and an aborted or overdue wait ends (rule E48)', async () => {
  const scene = new Scene();
  scene.sheds = true;
  const outcomes: unknown[] = [];
  const aborted = new AbortController();
  void scene.pace.enter('a', { signal: NEVER, waitMs: 500 }).then((begins) => outcomes.push(begins));
  scene.pace.enter('a', { signal: aborted.signal, waitMs: 1e9 }).catch((why) => outcomes.push(why));
  void scene.pace.enter('a', { signal: NEVER, waitMs: 1e9 }).then((begins) => outcomes.push(begins));
  await scene.loop.run(400);
  aborted.abort('cut');
  await scene.loop.run(1_000);
  assert.equal(outcomes, ['cut', false]);
  scene.sheds = false;
  await scene.loop.run(1_000 + config.overload.intervalMs);
  assert.equal(outcomes, ['cut', false, true]);
  assert.is(await scene.pace.enter('a', { signal: aborted.signal, waitMs: 1 }).catch((why: unknown) => why), 'cut');
});

test.run();
