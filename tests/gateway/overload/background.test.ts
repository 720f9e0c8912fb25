import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { Background } from '../../../gateway/overload/background.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

/** Background work of one event loop, in virtual time. */
const it = bounded(test);
/** Milliseconds of a live request: a step of it, and the way to a peer and back; and of 64 KiB of a download. */
const STEP_MS = 0.25;
const PEER_MS = 1;
const STEPS = 6;
const DOWNLOAD_STEP_MS = 0.12;
/** Rests alone; bursts have tests of their own. */
const LIMITS = { ...config.overload, pieceMs: 2, restFactor: 3, burstMs: 0 };
/** The work of accepting 30 MiB, as 1,000 lines, in pieces. */
const SUBMISSION = { pieces: 300, ms: 1 };

class Scene {
  readonly loop = new LoopModel();
  readonly live = { isPresent: false };
  readonly background = new Background({
    clock: this.loop,
    limits: LIMITS,
    live: this.live,
    busyMs: () => this.loop.worked,
  });
  readonly ended: string[] = [];
  /** When live requests looked at the loop, and how late they were. */
  readonly late: number[] = [];

  /** So many pieces of one holder, each behind the last. */
  async work(holder: string, pieces: number, ms: number): Promise<void> {
    for (let nth = 0; nth < pieces; nth++) {
      await this.background.run(holder, () => this.loop.spend(ms));
      this.ended.push(holder);
    }
  }

  /** A timer of a live request, again and again. */
  watch(everyMs: number): void {
    const look = (dueAt: number): void => {
      this.late.push(this.loop.monotonic() - dueAt);
      const next = this.loop.monotonic() + everyMs;
      this.loop.after(everyMs, () => look(next));
    };
    look(this.loop.monotonic());
  }
}

it('takes the whole event loop without live requests, in turns of a few milliseconds', async () => {
  const scene = new Scene();
  scene.watch(5);
  for (const holder of ['a', 'b', 'c', 'd']) void scene.work(holder, 250, 1);
  await scene.loop.run(1_100);
  assert.is(scene.ended.length, 1_000);
  assert.ok(scene.loop.worked >= 1_000);
  assert.ok(Math.max(...scene.late) <= LIMITS.pieceMs + 1, `${Math.max(...scene.late)} ms`);
});

it('takes a quarter of the event loop beside live requests, however many work (rule E49)', async () => {
  for (const holders of [1, 40]) {
    const scene = new Scene();
    scene.live.isPresent = true;
    for (let nth = 0; nth < holders; nth++) void scene.work(`account ${nth}`, 10_000, 0.5);
    await scene.loop.run(4_000);
    const share = scene.loop.worked / 4_000;
    assert.ok(share > 0.2 && share <= 0.26, `${holders} holders: ${share}`);
  }
});

it('serves holders in turn: a thousand pieces of one delay the piece of another by one (rule E49)', async () => {
  const scene = new Scene();
  for (let nth = 0; nth < 1_000; nth++) void scene.work('greedy', 1, 1);
  void scene.work('other', 1, 1);
  await scene.loop.run(20);
  assert.ok(scene.ended.indexOf('other') >= 0 && scene.ended.indexOf('other') <= 2, scene.ended.join(' '));
});

it('gives way at once when live requests come in, and takes everything back after them', async () => {
  const scene = new Scene();
  for (const holder of ['a', 'b']) void scene.work(holder, 10_000, 1);
  await scene.loop.run(500);
  const [quiet] = [scene.loop.worked];
  scene.live.isPresent = true;
  await scene.loop.run(1_500);
  const beside = scene.loop.worked - quiet;
  scene.live.isPresent = false;
  await scene.loop.run(2_000);
  const after = scene.loop.worked - quiet - beside;
  assert.ok(quiet > 480, `${quiet}`);
  assert.ok(beside < 270, `${beside}`);
  assert.ok(after > 480, `${after}`);
});

it('counts what an asynchronous piece works, and not what it waits; one runs at a time beside live requests', async () => {
  const scene = new Scene();
  scene.live.isPresent = true;
  let [running, most, ended] = [0, 0, 0];
  const download = async (): Promise<void> => {
    for (let nth = 0; nth < 50; nth++) {
      await scene.background.step('a', async () => {
        most = Math.max(most, ++running);
        await scene.loop.wait(4);
        scene.loop.spend(0.5);
        running--;
      });
      ended++;
    }
  };
  for (let nth = 0; nth < 3; nth++) void download();
  await scene.loop.run(2_000);
  assert.is(ended, 150);
  assert.is(most, 1);
  // 150 waits of 4 ms and 75 ms of work, with three times as much rest.
  assert.ok(scene.loop.worked === 75, `${scene.loop.worked}`);
});

/** The p99 of live requests that take several steps of the loop, beside three lanes of background work. */
async function besideWork(workMs: number, isPresent: boolean): Promise<number> {
  const loop = new LoopModel();
  const live = { isPresent };
  const limits = { ...config.overload, burstMs: 0 };
  const background = new Background({ clock: loop, limits, live, busyMs: () => loop.worked });
  const lane = async (): Promise<void> => {
    for (;;) await background.run('a', () => loop.spend(workMs));
  };
  for (let nth = 0; nth < 3 && workMs > 0; nth++) loop.after(0, () => void lane());
  const times: number[] = [];
  const request = async (): Promise<void> => {
    const from = loop.monotonic();
    for (let step = 0; step < STEPS; step++) {
      loop.spend(STEP_MS);
      await loop.wait(PEER_MS + ((times.length * 7 + step * 3) % 10) / 10);
    }
    times.push(loop.monotonic() - from);
  };
  for (let at = 0; at < 10_000; at += 1_000 / 300) loop.after(at, () => void request());
  await loop.run(10_000);
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number;
}

it('live requests at 300/s are at most 20 % slower beside downloads, and 50 % beside pieces of 1.5 ms', async () => {
  const quiet = await besideWork(0, true);
  const downloads = await besideWork(DOWNLOAD_STEP_MS, true);
  const submissions = await besideWork(1.5, true);
  assert.ok(downloads < quiet * 1.2, `${downloads} ms beside ${quiet}`);
  assert.ok(submissions < quiet * 1.5, `${submissions} ms beside ${quiet}`);
  const unpaced = await besideWork(1.5, false);
  assert.ok(unpaced > quiet * 1.8, `without rests ${unpaced} ms`);
});

/** How long submissions take, one every `everyMs`, and the p99 of 20 live requests/s beside them, for 20 s. */
async function submissions(
  everyMs: number,
  burstMs: number,
): Promise<{ readonly took: number[]; readonly p99: number }> {
  const loop = new LoopModel();
  const limits = { ...config.overload, burstMs };
  const background = new Background({ clock: loop, limits, live: { isPresent: true }, busyMs: () => loop.worked });
  const took: number[] = [];
  const times: number[] = [];
  const submit = async (): Promise<void> => {
    const from = loop.monotonic();
    for (let nth = 0; nth < SUBMISSION.pieces; nth++) await background.run('a', () => loop.spend(SUBMISSION.ms));
    took.push(loop.monotonic() - from);
  };
  const request = async (): Promise<void> => {
    const from = loop.monotonic();
    for (let step = 0; step < STEPS; step++) {
      loop.spend(STEP_MS);
      await loop.wait(PEER_MS + ((times.length * 7 + step * 3) % 10) / 10);
    }
    times.push(loop.monotonic() - from);
  };
  for (let at = 0; at < 20_000; at += everyMs) loop.after(at, () => void submit());
  for (let at = 0; at < 20_000; at += 50) loop.after(at, () => void request());
  await loop.run(30_000);
  return { took, p99: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number };
}

it('a large submission now and then takes half the time beside live requests, which pay for it as little', async () => {
  const { burstMs } = config.overload;
  const [burst, paced] = [await submissions(5_000, burstMs), await submissions(5_000, 0)];
  assert.ok(burst.took.length === 4 && paced.took.length === 4);
  assert.ok(Math.max(...burst.took) <= SUBMISSION.pieces * SUBMISSION.ms * 1.5, `${Math.max(...burst.took)} ms`);
  assert.ok(Math.min(...paced.took) > SUBMISSION.pieces * SUBMISSION.ms * 2.5, `${Math.min(...paced.took)} ms`);
  assert.ok(burst.p99 <= paced.p99 * 1.05, `${burst.p99} ms beside ${paced.p99}`);
});

it('submissions without end rest as long as any other work', async () => {
  const { took } = await submissions(1_000, config.overload.burstMs);
  const full = SUBMISSION.pieces * SUBMISSION.ms * (1 + config.overload.restFactor);
  assert.ok((took[0] as number) < full / 2, `${took[0]} ms`);
  assert.ok((took.at(-1) as number) > full * 0.98, `${took.at(-1)} ms`);
});

it('a piece that never ends delays the others by a second at most, and a failed one by nothing', async () => {
  const scene = new Scene();
  scene.live.isPresent = true;
  void scene.background.run('a', () => new Promise(() => {}));
  const failed = scene.background.run('b', () => {
    throw new Error('no');
  });
  failed.catch(() => scene.ended.push('failed'));
  void scene.work('c', 1, 1);
  await scene.loop.run(900);
  assert.equal(scene.ended, []);
  await scene.loop.run(1_100);
  assert.equal(scene.ended, ['failed', 'c']);
});

test.run();
