import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EventStream, type EventStreamTexts } from '../../../gateway/http/event-stream.ts';
import { bounded } from '../../support/bounded.ts';
import { ManualClock } from '../outbound/manual-clock.ts';

const it = bounded(test);
const TEXTS = { opening: ': processing\n', keepAlive: () => ': keep-alive\n' };
const LIMITS = { keepAliveCommentMs: 15_000, streamBufferBytesMax: 96 * 1024, streamStalledMs: 60_000 };

/** A connection whose reader takes one piece on demand, or everything at once. */
class Reader extends Writable {
  readonly #chunks: Buffer[] = [];
  waitingMost = 0;
  #next: (() => void) | null = null;
  readonly #eager: boolean;

  constructor(eager: boolean) {
    // That of Node 20: later versions buffer 64 KiB.
    super({ decodeStrings: true, highWaterMark: 16 * 1024 });
    this.#eager = eager;
  }

  writeHead(): void {}

  get taken(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.waitingMost = Math.max(this.waitingMost, this.writableLength);
    this.#chunks.push(chunk);
    if (this.#eager) taken();
    else this.#next = taken;
  }

  take(): void {
    const next = this.#next;
    this.#next = null;
    next?.();
  }
}

function open(
  eager: boolean,
  texts: EventStreamTexts = TEXTS,
): { reader: Reader; clock: ManualClock; stream: EventStream } {
  const reader = new Reader(eager);
  const clock = new ManualClock();
  return { reader, clock, stream: new EventStream(reader as unknown as ServerResponse, clock, LIMITS, texts) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('begins with a processing comment and sends a keep-alive comment every 15 s (rule I52)', () => {
  const { reader, clock, stream } = open(true);
  clock.advance(14_000);
  stream.write('data: 1\n\n');
  clock.advance(14_000);
  assert.is(reader.taken, ': processing\ndata: 1\n\n');
  clock.advance(1_000);
  clock.advance(15_000);
  assert.is(reader.taken, ': processing\ndata: 1\n\n: keep-alive\n: keep-alive\n');
});

it('a keep-alive learns for how long no frame was sent, and may be a frame itself', () => {
  const heard: number[] = [];
  const keepAlive = (silentMs: number): string => {
    heard.push(silentMs);
    return silentMs < 30_000 ? ': keep-alive\n' : 'data: again\n\n';
  };
  const { reader, clock, stream } = open(true, { ...TEXTS, keepAlive });
  clock.advance(5_000);
  stream.write('data: 1\n\n');
  for (let periods = 0; periods < 3; periods++) clock.advance(15_000);
  assert.equal(heard, [15_000, 30_000, 15_000]);
  const repeated = ': keep-alive\ndata: again\n\n: keep-alive\n';
  assert.is(reader.taken, `: processing\ndata: 1\n\n${repeated}`);
});

it('frames behind a keep-alive that is sent in pieces wait for its last piece', async () => {
  const large = `data: ${'x'.repeat(100_000)}\n\n`;
  const { reader, clock, stream } = open(false, { ...TEXTS, keepAlive: () => large });
  reader.take();
  clock.advance(LIMITS.keepAliveCommentMs);
  const waits = stream.write('data: 2\n\n');
  assert.ok(waits);
  for (let pieces = 0; pieces < 20; pieces++) {
    reader.take();
    await turn();
  }
  await waits;
  assert.is(reader.taken, `: processing\n${large}data: 2\n\n`);
});

it('an empty write sends nothing and does not postpone a comment', () => {
  const { reader, clock, stream } = open(true);
  clock.advance(10_000);
  assert.is(stream.write(''), null);
  clock.advance(5_000);
  assert.is(reader.taken, ': processing\n: keep-alive\n');
});

it('a slow reader holds its producer back, and one that reads nothing is cut (rule E30)', async () => {
  const { reader, clock, stream } = open(false);
  const waits = stream.write('x'.repeat(20_000));
  assert.ok(waits, 'the producer waits');
  clock.advance(LIMITS.streamStalledMs - 1);
  assert.ok(stream.open);
  clock.advance(1);
  assert.not.ok(stream.open);
  await waits;
  assert.ok(reader.writableLength <= LIMITS.streamBufferBytesMax);
});

it('a frame larger than the buffer is sent in pieces, within the bound, to a reader that keeps reading', async () => {
  const { reader, clock, stream } = open(false);
  reader.take();
  const frame = `data: ${'ü€😀'.repeat(60_000)}\n\n`;
  let done = false;
  const waits = stream.write(frame)?.then(() => {
    done = true;
  });
  for (let at = 0; at < 200 && !done; at++) {
    clock.advance(LIMITS.streamStalledMs / 2);
    reader.take();
    await turn();
  }
  await waits;
  assert.ok(stream.open);
  assert.is(reader.taken, `: processing\n${frame}`);
  assert.ok(reader.waitingMost <= LIMITS.streamBufferBytesMax, `${reader.waitingMost} bytes waited`);
  stream.cut();
});

it('an end larger than the buffer is sent in pieces to a reader that keeps reading, however long all of them take', async () => {
  const { reader, clock, stream } = open(false);
  reader.take();
  const frame = `data: ${'x'.repeat(300_000)}\n\n`;
  let ended = false;
  const ending = stream.end(frame).then(() => {
    ended = true;
  });
  for (let at = 0; at < 200 && !ended; at++) {
    clock.advance(LIMITS.streamStalledMs / 2);
    reader.take();
    await turn();
  }
  await ending;
  assert.is(reader.taken, `: processing\n${frame}`);
  assert.ok(reader.waitingMost <= LIMITS.streamBufferBytesMax, `${reader.waitingMost} bytes waited`);
});

it('the end follows the last piece and never splits a frame', async () => {
  const { reader, stream } = open(false);
  const frame = `data: ${'x'.repeat(300_000)}\n\n`;
  void stream.write(frame);
  let ended = false;
  const ending = stream.end('data: [DONE]\n\n').then(() => {
    ended = true;
  });
  while (!ended) {
    reader.take();
    await turn();
  }
  await ending;
  assert.is(reader.taken, `: processing\n${frame}data: [DONE]\n\n`);
});

it('an end that is not read is cut too', async () => {
  const { reader, clock, stream } = open(false);
  const ending = stream.end('data: [DONE]\n\n');
  await turn();
  clock.advance(LIMITS.streamStalledMs);
  await ending;
  assert.ok(reader.destroyed);
});

it('a connection that closes leaves no timer behind', async () => {
  const { reader, clock, stream } = open(true);
  stream.write('data: 1\n\n');
  assert.is(clock.armed, 1);
  reader.destroy();
  await turn();
  assert.is(clock.armed, 0);
});

test.run();
