import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Block,
  BlockSequence,
  type BlockWriter,
  type Piece,
} from '../../../../gateway/dialects/messages/block-sequence.ts';
import { JsonEnd } from '../../../../gateway/dialects/messages/json-end.ts';
import { messagesReplyDialect } from '../../../../gateway/dialects/messages/messages-dialect.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { MessagesJudge } from '../../../support/stream/messages-judge.ts';

const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1, model: 'a/b', provider: 'P' };

interface Written {
  readonly block: Block;
  readonly pieces: Record<Piece, string>;
}

/** Gathers the blocks, and fails if two are open at once. */
class Gathered implements BlockWriter {
  readonly blocks: Written[] = [];
  #open: Written | null = null;

  start(block: Block): void {
    assert.is(this.#open, null, 'a second open block');
    this.#open = { block, pieces: { text: '', thinking: '', signature: '', input: '' } };
    this.blocks.push(this.#open);
  }

  add(piece: Piece, text: string): void {
    assert.ok(this.#open, 'a piece of no block');
    (this.#open as Written).pieces[piece] += text;
  }

  stop(): void {
    assert.ok(this.#open, 'a stop of no block');
    this.#open = null;
  }
}

function gathered(batches: readonly (readonly TurnEvent[])[]): readonly Written[] {
  const written = new Gathered();
  const sequence = new BlockSequence(written);
  for (const events of batches) sequence.add(events);
  sequence.end();
  return written.blocks;
}

const start = (index: number, name = `f${index}`): TurnEvent => ({ type: 'tool-start', index, id: `c${index}`, name });
const more = (index: number, text: string): TurnEvent => ({ type: 'tool-delta', index, arguments: text });

it('what arrives while a call is incomplete waits for it, in its order', () => {
  const events: TurnEvent[] = [
    start(0),
    more(0, '{"a":"}'),
    { type: 'text-delta', text: 'between' },
    start(1),
    more(1, '{'),
    more(0, '{\\""}'),
    { type: 'text-delta', text: 'after' },
    more(1, '}'),
  ];
  const expected = ['f0 {"a":"}{\\""}', 'between', 'f1 {}', 'after'];
  const shown = (written: readonly Written[]): string[] =>
    written.map(({ block, pieces }) => (block.type === 'tool_use' ? `${block.name} ${pieces.input}` : pieces.text));
  assert.equal(shown(gathered([events])), expected);
  assert.equal(shown(gathered(events.map((event) => [event]))), expected);
});

it('a call that never completes ends with the answer, and so does what waited', () => {
  const written = gathered([
    [start(0), more(0, '{"a"'), start(1), { type: 'image', url: 'u', index: 0 }, more(0, ':1')],
  ]);
  assert.equal(
    written.map(({ block, pieces }) => [block.type, pieces.input]),
    [
      ['tool_use', '{"a":1'],
      ['tool_use', ''],
      ['image', ''],
    ],
  );
});

it('what waits is bounded: the incomplete call is closed as it is', () => {
  const written = new Gathered();
  const sequence = new BlockSequence(written);
  sequence.add([start(0), more(0, '{'), start(1)]);
  for (let at = 0; at < 70; at++) sequence.add([more(1, 'x'.repeat(64 * 1024))]);
  assert.is(written.blocks.length, 2);
  assert.ok(written.blocks[1]?.pieces.input.startsWith('xxx'));
});

const fragment = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text: fc.string({ maxLength: 4 }) }),
  fc.record({ type: fc.constant('refusal-delta' as const), text: fc.string({ maxLength: 4 }) }),
  fc.record({ type: fc.constant('reasoning-delta' as const), text: fc.string({ maxLength: 4 }) }),
  fc.record({ type: fc.constant('image' as const), url: fc.constant('data:image/png;base64,AAAA'), index: fc.nat(3) }),
  fc.record({
    type: fc.constant('reasoning-detail' as const),
    detail: fc.oneof(
      fc.record({ type: fc.constant('reasoning.text' as const), text: fc.string(), index: fc.nat(2) }),
      fc.record({ type: fc.constant('reasoning.text' as const), signature: fc.string(), index: fc.nat(2) }),
      fc.record({ type: fc.constant('reasoning.encrypted' as const), data: fc.string(), index: fc.nat(2) }),
    ),
  }),
);

/** An answer whose calls alternate with everything else. */
const answer = fc
  .tuple(
    fc.array(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
      maxLength: 4,
    }),
    fc.array(fragment, { maxLength: 12 }),
    fc.infiniteStream(fc.nat(1_000)),
  )
  .map(([inputs, parts, dice]) => {
    const roll = (sides: number): number => (dice.next().value as number) % sides;
    const texts = inputs.map((input) => JSON.stringify(input));
    const queues: TurnEvent[][] = texts.map((text, index) => {
      const cut = roll(text.length + 1);
      return [start(index), more(index, text.slice(0, cut)), more(index, text.slice(cut))];
    });
    queues.push([...parts]);
    const events: TurnEvent[] = [];
    for (let left = queues.filter(({ length }) => length > 0); left.length > 0; ) {
      events.push((left[roll(left.length)] as TurnEvent[]).shift() as TurnEvent);
      left = queues.filter(({ length }) => length > 0);
    }
    const finish: TurnEvent = { type: 'finish', reason: texts.length > 0 ? 'tool_calls' : 'stop', native: null };
    return { texts, events: [...events, finish] };
  });

it('any alternation of parallel calls and other parts is one valid stream, with every call and every text whole (rule I79)', () => {
  fc.assert(
    fc.property(answer, fc.nat(5), ({ texts, events }, size) => {
      const frames = messagesReplyDialect([]).frames(HEAD);
      let text = '';
      for (let at = 0; at < events.length; at += size + 1) text += frames.of(events.slice(at, at + size + 1));
      const verdict = MessagesJudge.of(text + frames.end(null));
      assert.equal(verdict.faults, []);
      const whole = JSON.parse(messagesReplyDialect([]).whole(HEAD, events, null)) as {
        content: Record<string, never>[];
      };
      const inputs = whole.content.filter(({ type }) => type === 'tool_use');
      assert.equal(
        Object.fromEntries(inputs.map(({ id, input }) => [id, input])),
        Object.fromEntries(texts.map((given, index) => [`c${index}`, JSON.parse(given)])),
      );
      const said = events
        .map((event) => ('text' in event && event.type !== 'reasoning-delta' ? event.text : ''))
        .join('');
      assert.is(whole.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), said);
    }),
    { numRuns: 300 },
  );
});

it('the end of an object is found in any pieces, and nothing else is taken for one', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(20), (value, size) => {
      const text = ` ${JSON.stringify(value, null, 1)}`;
      const end = new JsonEnd();
      for (let at = 0; at < text.length; at += size + 1) {
        assert.is(end.complete, false, `complete before ${at}`);
        end.feed(text.slice(at, at + size + 1));
      }
      assert.is(end.complete, true);
    }),
    { numRuns: 200 },
  );
  for (const text of ['', ' ', '[1]', '"{}"', '5', '{"a":1', '{"a":"}"', 'x{}']) {
    const end = new JsonEnd();
    end.feed(text);
    assert.is(end.complete, false, text);
  }
});

test.run();
