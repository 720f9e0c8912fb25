import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaPart, Turn, TurnMessage } from '../../../gateway/terms/turn.ts';
import { mediaTokens } from '../../../gateway/tokens/media-tokens.ts';
import { promptBound } from '../../../gateway/tokens/prompt-bound.ts';
import { promptCount } from '../../../gateway/tokens/prompt-count.ts';
import { addSize, declarationsSize, messageSize, promptSize, utf8Bytes } from '../../../gateway/tokens/prompt-size.ts';
import { textHundredths } from '../../../gateway/tokens/text-hundredths.ts';
import { measureTokens, quantile } from '../../bench/tokens.bench.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

function turn(text: string, more: Partial<Turn> = {}): Turn {
  const messages = [{ role: 'user', text }] as const;
  return { models: ['a/b'], messages, stream: false, sampling: {}, preferences: { allowFallbacks: true }, ...more };
}

it('the bound is never below the bytes of everything that is sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, description) => {
      const parameters = { type: 'object', note: text };
      const size = promptSize(turn(text, { tools: [{ name: 'f', description, parameters }] }));
      const bytes = Buffer.byteLength(text + description + JSON.stringify(parameters));
      return promptBound(size) > bytes && promptBound(size) >= promptCount(size);
    }),
  );
});

it('bytes are counted as UTF-8, lone surrogates included', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Bytes(text) === Buffer.byteLength(text)));
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff)), (units) => {
      const text = String.fromCharCode(...units);
      return utf8Bytes(text) === Buffer.byteLength(text);
    }),
  );
  assert.is(utf8Bytes('\u{1f680}'.repeat(1_000)), 4_000);
});

it('tool calls, results, names and schemas are counted', () => {
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

it('earlier assistant messages are counted in full: reasoning, its details, a refusal', () => {
  const earlier = { role: 'assistant', text: 'x' } as const;
  const bare = messageSize(earlier).bytes;
  const full: TurnMessage = {
    ...earlier,
    reasoning: 'abc',
    refusal: 'no',
    reasoningDetails: [
      { type: 'reasoning.text', text: 'abcd', signature: 's' },
      { type: 'reasoning.summary', summary: 'abcde' },
      { type: 'reasoning.encrypted', data: 'QUJD' },
    ],
  };
  assert.is(messageSize(full).bytes, bare + 3 + 2 + 5 + 5 + 4);
});

it('sizes of messages and declarations add up to that of the prompt', () => {
  const prompt = turn('x', {
    messages: [
      { role: 'system', text: 'be brief' },
      { role: 'user', text: 'x', parts: [{ type: 'image', source: { kind: 'url', url: 'https://a/b.png' } }] },
    ],
    tools: [{ name: 'f', parameters: { type: 'object' } }],
  });
  const sum = prompt.messages.map(messageSize).reduce(addSize, declarationsSize(prompt));
  assert.equal(sum, promptSize(prompt));
});

it('every kind of part has an estimate and a bound, by its bytes where it has any', () => {
  const inline = (type: MediaPart['type'], bytes: number): MediaPart => ({
    type,
    source: { kind: 'data', mediaType: null, base64: 'A'.repeat((bytes * 4) / 3) },
  });
  for (const type of ['image', 'audio', 'video', 'file'] as const) {
    for (const part of [inline(type, 3), inline(type, 300_000), { ...inline(type, 3), source: address }]) {
      const { counted, bound } = mediaTokens(part);
      assert.ok(counted > 0 && counted <= bound, `${type}: ${counted} of at most ${bound}`);
    }
  }
  assert.ok(mediaTokens(inline('audio', 300_000)).bound > mediaTokens(inline('audio', 3_000)).bound);
  assert.is(mediaTokens({ ...inline('image', 3), detail: 'low' }).counted, 85);
  const size = promptSize(turn('x', { messages: [{ role: 'user', text: '', parts: [inline('image', 9)] }] }));
  assert.ok(promptBound(size) >= 16_384 && promptCount(size) >= 1_024);
});

const address = { kind: 'url', url: 'https://example.org/a' } as const;

it('the count is close to that of tokenizers for ordinary text', () => {
  const corpus: readonly (readonly [string, number])[] = [
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['function add(a, b) {\n  return a + b;\n}\n', 14],
    ['Привет, как у тебя сегодня дела?', 12],
    ['今日はとても良い天気ですね。', 12],
  ];
  for (const [text, tokens] of corpus) {
    const counted = textHundredths(text) / 100;
    assert.ok(counted > tokens * 0.5 && counted < tokens * 2, `${text}: ${counted} for about ${tokens}`);
  }
  assert.is(textHundredths(''), 0);
  assert.ok(textHundredths('.') > 0);
});

it('over a corpus of many scripts the bound is at least the count of every tokenizer, and the count is close (reliability M8)', () => {
  const measured = measureTokens();
  assert.ok(measured.length > 2_000);
  assert.equal(
    measured.filter(({ tokens, bound }) => bound < tokens),
    [],
  );
  const errors = measured.map(({ tokens, counted }) => Math.abs(counted - tokens) / tokens);
  assert.ok(quantile(errors, 0.5) < 0.2, `median error ${quantile(errors, 0.5)}`);
  assert.ok(quantile(errors, 0.95) < 0.65, `95th percentile of the error ${quantile(errors, 0.95)}`);
});

it('a long text is sampled in windows, at the same rate as a short one', () => {
  const sentence = 'The quick brown fox jumps over 13 lazy dogs. ';
  const perCharacter = (times: number): number => textHundredths(sentence.repeat(times)) / (sentence.length * times);
  assert.ok(Math.abs(perCharacter(10_000) / perCharacter(10) - 1) < 0.1);
});

it('the count never exceeds the bound for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aA1 .\n\u0301é中\ud83d') }), (text) => {
      const size = promptSize(turn(text));
      return promptCount(size) <= promptBound(size);
    }),
  );
});

test.run();
