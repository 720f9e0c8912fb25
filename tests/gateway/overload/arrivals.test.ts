import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { Arrivals } from '../../../gateway/overload/arrivals.ts';
import { bounded } from '../../support/bounded.ts';
import { TurnLoop } from './turn-loop.ts';

const it = bounded(test);

/** Milliseconds: reading a head, a refusal, one step of a turn, and the way to a peer and back. */
const COST = { head: 0.01, refusal: 0.05, step: 0.2, peer: 1 };
/** A turn asks its account, its provider and its account again, and each answer arrives as a readable socket. */
const STEPS = 8;
const FLOOD = 700;

class Scene {
  readonly loop = new TurnLoop();
  readonly arrivals: Arrivals;
  refused = 0;
  workDone = 0;

  constructor(arrivalsMax = 10_000) {
    this.arrivals = new Arrivals(this.loop, { ...config.overload, arrivalsMax });
  }

  /** Connections that send their next request once the last one was refused. */
  flood(connections: number, holder = 'flood'): void {
    const send = (): void => {
      this.loop.spend(COST.head);
      const begin = (): void => {
        this.loop.spend(COST.refusal);
        this.refused++;
        this.loop.arrives(COST.peer, send);
      };
      this.arrivals.add({ holder, isRefused: true, begin });
    };
    for (let nth = 0; nth < connections; nth++) this.loop.arrives(0, send);
  }

  /** The time of one turn that arrives now, once it has ended. */
  turn(holder: string, ended: (ms: number) => void): void {
    const beganAt = this.loop.monotonic();
    const step = (left: number): void => {
      this.loop.spend(COST.step);
      if (left === 0) ended(this.loop.monotonic() - beganAt);
      else this.loop.arrives(COST.peer, () => step(left - 1));
    };
    this.loop.spend(COST.head);
    this.arrivals.add({ holder, isRefused: false, begin: () => step(STEPS) });
  }

  /** Turns of another account, each followed by the next, which use whatever time there is. */
  work(lanes: number): void {
    const next = (): void =>
      this.turn('busy', () => {
        this.workDone++;
        this.loop.arrives(COST.peer, next);
      });
    for (let nth = 0; nth < lanes; nth++) this.loop.arrives(0, next);
  }

  tenant(everyMs: number): readonly number[] {
    const times: number[] = [];
    const next = (): void => {
      this.turn('tenant', (ms) => times.push(ms));
      this.loop.arrives(everyMs, next);
    };
    this.loop.arrives(everyMs, next);
    return times;
  }
}

const worst = (times: readonly number[]): number => Math.max(...times);

it('another account waits at most three times as long while 700 connections are refused as fast as they ask (rule E47)', () => {
  const quiet = new Scene();
  const calm = quiet.tenant(200);
  quiet.loop.run(4_000);
  const scene = new Scene();
  scene.flood(FLOOD);
  const times = scene.tenant(200);
  scene.loop.run(4_000);
  assert.ok(calm.length > 15 && times.length > 15, `${calm.length} and ${times.length}`);
  assert.ok(worst(times) <= worst(calm) * 3, `${worst(times)} ms, quiet ${worst(calm)} ms`);
  // All the time that nobody else uses goes to refusals: each client has its answer within 50 ms.
  assert.ok((FLOOD / scene.refused) * 4_000 <= 50, `${(FLOOD / scene.refused) * 4_000} ms`);
});

it('refusals leave four fifths of the time to admitted work', () => {
  const alone = new Scene();
  alone.work(64);
  alone.loop.run(4_000);
  const scene = new Scene();
  scene.work(64);
  scene.flood(FLOOD * 3);
  scene.loop.run(4_000);
  assert.ok(alone.workDone > 1_500, `${alone.workDone}`);
  assert.ok(scene.workDone >= alone.workDone * 0.75, `${scene.workDone} of ${alone.workDone}`);
  assert.ok(scene.refused > 10_000, `${scene.refused} refused`);
});

it('holders begin in turn, each first come, first served', () => {
  const { arrivals, loop } = new Scene();
  const begun: string[] = [];
  const add = (holder: string, name: string): void =>
    arrivals.add({
      ...{ holder, isRefused: false },
      begin: () => {
        begun.push(name);
        loop.spend(config.overload.startsMs);
      },
    });
  for (const name of ['a1', 'a2', 'a3']) add('a', name);
  add('b', 'b1');
  assert.equal(begun, ['a1'], 'one uses up the time of the turn');
  loop.run(100);
  assert.equal(begun, ['a1', 'a2', 'b1', 'a3']);
  assert.is(arrivals.waiting, 0);
});

it('a request that would be refused does not delay one that would be admitted', () => {
  const { arrivals, loop } = new Scene();
  const begun: string[] = [];
  const add = (isRefused: boolean, name: string): void =>
    arrivals.add({
      ...{ holder: 'a', isRefused },
      begin: () => {
        begun.push(name);
        loop.spend(0.3);
      },
    });
  for (let nth = 0; nth < 5; nth++) add(true, 'refused');
  add(false, 'admitted');
  assert.equal(begun, ['refused', 'refused', 'admitted']);
});

it('begins each request at once beyond the bound on those that wait', () => {
  const { arrivals, loop } = new Scene(3);
  let begun = 0;
  const begin = (): void => {
    begun++;
    loop.spend(config.overload.startsMs);
  };
  for (let nth = 0; nth < 6; nth++) arrivals.add({ holder: 'a', isRefused: false, begin });
  assert.is(begun, 3, 'the first, and those beyond three that wait');
  assert.is(arrivals.waiting, 3);
  loop.run(100);
  assert.is(begun, 6);
});

test.run();
