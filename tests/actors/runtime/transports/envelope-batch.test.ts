import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Envelope } from '../../../../actors/runtime/ports/transport.ts';
import { EnvelopeBatch } from '../../../../actors/runtime/transports/envelope-batch.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { envelopesPerFrameMax: 256, frameBytesMax: 65_536, envelopeBytesMax: 1_048_576 };

const ask = (id: number): Envelope => ({ kind: 'ask', id, to: 'a:1', body: '{}', remainingMs: 1_000, trace: '' });
const reply = (id: number): Envelope => ({ kind: 'reply', id, to: '', body: '{}', remainingMs: 0, trace: '' });
const count = (of: number, make: (id: number) => Envelope): Envelope[] =>
  Array.from({ length: of }, (_, id) => make(id));

/** A batch, the sizes of the frames it wrote, and a function that ends the turn. */
function batch(): { readonly own: EnvelopeBatch; readonly frames: number[]; readonly ids: number[]; turn(): void } {
  const frames: number[] = [];
  const ids: number[] = [];
  let later: (() => void)[] = [];
  const after = (_: number, run: () => void): (() => void) => {
    later.push(run);
    return () => {};
  };
  const own = new EnvelopeBatch(LIMITS as never, { now: () => 0, monotonic: () => 0, after }, (frame) => {
    frames.push(frame.length);
    for (const { id } of frame) ids.push(id);
    return true;
  });
  const turn = (): void => {
    const due = later;
    later = [];
    for (const run of due) run();
  };
  return { own, frames, ids, turn };
}

it('asks of one turn leave together at the end of the turn', () => {
  const { own, frames, turn } = batch();
  for (const envelope of count(100, ask)) own.add(envelope);
  assert.equal(frames, []);
  turn();
  assert.equal(frames, [100]);
});

it("answers leave in quarters of the peer's open asks, in order, and the rest at the end of the turn", () => {
  const { own, frames, ids, turn } = batch();
  own.received(count(400, ask));
  for (const envelope of count(400, reply)) own.add(envelope);
  turn();
  assert.is(frames[0], 100);
  assert.is(
    frames.reduce((sum, size) => sum + size),
    400,
  );
  assert.equal(
    ids,
    count(400, reply).map(({ id }) => id),
  );
});

it('a frame of answers holds at least 16 unless the turn ends, and at most 256', () => {
  const few = batch();
  few.own.received(count(20, ask));
  for (const envelope of count(15, reply)) few.own.add(envelope);
  assert.equal(few.frames, []);
  few.turn();
  assert.equal(few.frames, [15]);
  const many = batch();
  many.own.received(count(4_000, ask));
  for (const envelope of count(300, reply)) many.own.add(envelope);
  assert.equal(many.frames, [256]);
});

test.run();
