import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { gatherUpload } from '../../../../gateway/edge/body/upload.ts';
import { JsonScan } from '../../../../gateway/json/json-scan.ts';
import { LOOP_TURN_BYTES, loopShare } from '../../../../gateway/overload/loop-work.ts';
import { CallerLeft, GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { ...config.edge, bodyGraceMs: 1_000, bodyBytesPerSecondMin: 10_000 };

/** A clock that advances only on demand; its timers run by hand. */
class HandClock implements Clock {
  nowMs = 0;
  due: { readonly delayMs: number; readonly run: () => void }[] = [];

  monotonic(): number {
    return this.nowMs;
  }

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const entry = { delayMs, run };
    this.due.push(entry);
    return () => {
      this.due = this.due.filter((other) => other !== entry);
    };
  }

  async run(delayMs: number): Promise<void> {
    const now = this.due.filter((entry) => entry.delayMs === delayMs);
    this.due = this.due.filter((entry) => entry.delayMs !== delayMs);
    for (const { run } of now) run();
    await turn();
  }

  /** A turn of the loop with a share, and the rest behind it, which is as long as the turn: none here. */
  async share(): Promise<void> {
    await this.run(0);
    await this.run(0);
  }
}

class Sender extends EventEmitter {
  waits = false;
  pause(): void {
    this.waits = true;
  }
  resume(): void {
    this.waits = false;
  }
}

function upload(clock: Clock) {
  const sender = new Sender();
  const scan = new JsonScan({ depthMax: 64, tokensMax: 1_000 });
  const gathered = gatherUpload(sender as unknown as IncomingMessage, {
    limits: LIMITS,
    clock,
    scan,
    reserve: () => true,
  });
  const failure = gathered.then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  return { sender, gathered, failure, send: (bytes: number) => sender.emit('data', Buffer.alloc(bytes, ' ')) };
}

it('a sender is paused after the bytes of one loop turn, until another turn has time for as many', async () => {
  const clock = new HandClock();
  const { sender, gathered, send } = upload(clock);
  send(LOOP_TURN_BYTES - 1);
  assert.is(sender.waits, false);
  send(1);
  assert.is(sender.waits, true);
  await clock.share();
  assert.is(sender.waits, false);
  send(LOOP_TURN_BYTES);
  void loopShare(clock, 2 * LOOP_TURN_BYTES);
  await clock.share();
  assert.is(sender.waits, true, 'the received bytes are read first');
  await clock.share();
  assert.is(sender.waits, false);
  sender.emit('end');
  assert.is((await gathered).length, 2 * LOOP_TURN_BYTES);
});

it('the time for which a sender is paused does not count as slowness, the time after it does', async () => {
  const clock = new HandClock();
  void loopShare(clock, LOOP_TURN_BYTES);
  const { sender, failure, send } = upload(clock);
  send(LOOP_TURN_BYTES);
  assert.is(sender.waits, true);
  clock.nowMs = 100_000;
  await clock.run(LIMITS.bodyGraceMs);
  await clock.share();
  await clock.share();
  assert.is(sender.waits, false);
  clock.nowMs = 120_000;
  await clock.run(LIMITS.bodyGraceMs);
  clock.nowMs = 130_000;
  await clock.run(LIMITS.bodyGraceMs);
  const thrown = await failure;
  assert.ok(thrown instanceof GatewayError && thrown.status === 408);
  await clock.run(0);
});

it('a sender of tiny pieces is paused after few bytes, and refused when the pieces are too many', async () => {
  const clock = new HandClock();
  const { sender, failure, send } = upload(clock);
  for (let nth = 0; nth < 255; nth++) send(1);
  assert.is(sender.waits, false);
  send(1);
  assert.is(sender.waits, true);
  for (let nth = 256; nth < LIMITS.bodyBytesMax / 512; nth++) send(1);
  await turn();
  send(1);
  const thrown = await failure;
  assert.ok(thrown instanceof GatewayError && thrown.status === 400 && /too many pieces/.test(thrown.message));
  await clock.run(0);
  await clock.run(0);
});

it('a sender that leaves while it is paused is released', async () => {
  const clock = new HandClock();
  void loopShare(clock, LOOP_TURN_BYTES);
  const { sender, failure, send } = upload(clock);
  send(LOOP_TURN_BYTES);
  sender.emit('close');
  assert.instance(await failure, CallerLeft);
  for (let turns = 0; turns < 4; turns++) await clock.run(0);
  assert.equal(clock.due, [], 'no timer is left');
});

test.run();
