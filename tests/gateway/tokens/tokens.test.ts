import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { promptBound } from '../../../gateway/tokens/bound.ts';
import { promptCount, textCount } from '../../../gateway/tokens/count.ts';
import { promptSize } from '../../../gateway/tokens/prompt-size.ts';
import { utf8Bytes } from '../../../gateway/tokens/utf8-bytes.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 10_000);

function turn(text: string, more: Partial<Turn> = {}): Turn {
  const messages = [{ role: 'user', text }] as const;
  return { models: ['a/b'], messages, stream: false, sampling: {}, preferences: { allowFallbacks: true }, ...more };
}

it('the bound is never under the bytes of all that is sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, description) => {
      const parameters = { type: 'object', note: text };
      const size = promptSize(turn(text, { tools: [{ name: 'f', description, parameters }] }));
      const bytes = Buffer.byteLength(text + description + JSON.stringify(parameters));
      return promptBound(size) > bytes && promptBound(size) >= promptCount(size);
    }),
  );
});

it('bytes are those of UTF-8, lone halves of pairs included', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Bytes(text) === Buffer.byteLength(text)));
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff)), (units) => {
      const text = String.fromCharCode(...units);
      return utf8Bytes(text) === Buffer.byteLength(text);
    }),
  );
  assert.is(utf8Bytes('\u{1f680}'.repeat(1_000)), 4_000);
});

it('tool calls, results, names and schemas weigh as well', () => {
  const bare = promptSize(turn('x')).bytes;
  const full = promptSize({
    ...turn('x'),
    messages: [
      { role: 'user', text: 'x', name: 'bob' },
      { role: 'assistant', text: null, toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', text: 'result', toolCallId: 'c' },
    ],
    responseFormat: { type: 'json_object' },
  });
  assert.is(full.bytes, bare + 3 + 4 + 7 + Buffer.byteLength('{"type":"json_object"}'));
  assert.is(full.messages, 3);
});

it('the count is near what tokenizers say of ordinary text', () => {
  const corpus: readonly (readonly [string, number])[] = [
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['function add(a, b) {\n  return a + b;\n}\n', 14],
    ['Привет, как у тебя сегодня дела?', 12],
    ['今日はとても良い天気ですね。', 12],
  ];
  for (const [text, tokens] of corpus) {
    const counted = textCount(text.length, Buffer.byteLength(text));
    assert.ok(counted > tokens * 0.5 && counted < tokens * 2, `${text}: ${counted} for about ${tokens}`);
  }
  assert.is(textCount(0, 0), 0);
  assert.is(textCount(1, 1), 1);
});

test.run();
