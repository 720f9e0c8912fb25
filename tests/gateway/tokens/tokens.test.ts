import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { promptReportedMax } from '../../../gateway/routing/prompt.ts';
import type { MediaPart, PartOrigin, Turn, TurnMessage } from '../../../gateway/terms/turn.ts';
import { mediaTokens } from '../../../gateway/tokens/media-tokens.ts';
import { utf8Bytes } from '../../../gateway/tokens/pieces.ts';
import { addSize, promptCount, promptHeld } from '../../../gateway/tokens/prompt-size.ts';
import { textHundredths } from '../../../gateway/tokens/text-hundredths.ts';
import { bounded } from '../../support/bounded.ts';
import { promptSize, sizesOf } from '../../support/prompt-sizes.ts';

const it = bounded(test);

function turn(text: string, more: Partial<Turn> = {}): Turn {
  const messages = [{ role: 'user', text }] as const;
  return {
    kind: 'conversation',
    models: ['a/b'],
    messages,
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
    ...more,
  };
}

it('the hold of a prompt is never below its count, nor below what provider options may add', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, description) => {
      const parameters = { type: 'object', note: text };
      const tools = [{ name: 'f', description, parameters }];
      const size = promptSize(turn(text, { tools }));
      const options = { a: { context: text } };
      const more = promptSize(turn(text, { tools, preferences: { allowFallbacks: true, options } }));
      const optionBytes = Buffer.byteLength(JSON.stringify(options));
      return (
        promptHeld(size) >= promptCount(size) &&
        promptHeld(more) === promptHeld(size) + optionBytes &&
        promptCount(more) === promptCount(size)
      );
    }),
  );
});

it('a provider may report twice our count of a text and 4,096, and four times the hold of media', () => {
  const text = promptSize(turn('What is the capital of Portugal?'));
  assert.is(promptReportedMax(text), promptCount(text) * 2 + 4_096);
  const options = { a: { context: 'x'.repeat(100) } };
  const more = promptSize(turn('What is the capital of Portugal?', { preferences: { allowFallbacks: true, options } }));
  assert.is(promptReportedMax(more), promptReportedMax(text) + Buffer.byteLength(JSON.stringify(options)));
  const source = { kind: 'url', url: 'https://example.com/a' } as const;
  for (const part of [
    { type: 'image', source },
    { type: 'image', source, detail: 'low' },
    { type: 'audio', source },
    { type: 'file', source },
  ] as MediaPart[]) {
    const messages = [{ role: 'user', text: 'What is this?', parts: [part] }] as const;
    const size = promptSize({ ...turn(''), messages });
    assert.is(promptReportedMax(size), promptHeld(size) * 4, part.type);
  }
  const ids = [{ role: 'user', text: '', tokens: [1, 2, 3] }] as unknown as Turn['messages'];
  const vectors = promptSize({ ...turn(''), messages: ids, kind: 'vectors' });
  assert.is(promptReportedMax(vectors), 3 * 2 + 4_096 + vectors.heldOnlyTokens);
});

it('runs of one character, which few vocabularies hold in long tokens, are held at eight bytes per token', () => {
  const size = promptSize(turn(' '.repeat(100_000)));
  assert.ok(size.textTokens < 5_000 && promptHeld(size) >= 12_500);
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

it('what a caller says about a document is counted', () => {
  const source = { kind: 'url', url: 'https://example.com/a' } as const;
  const sized = (part: Partial<MediaPart>): number =>
    promptSize({ ...turn(''), messages: [{ role: 'user', text: 'x', parts: [{ type: 'file', source, ...part }] }] })
      .bytes;
  assert.is(sized({ filename: 'a.pdf', context: 'a secret novel' }), sized({}) + 5 + 14);
  const held = (origin?: PartOrigin): number => {
    const part = { type: 'text', text: 'x', ...(origin === undefined ? {} : { origin }) } as const;
    return promptSize({ ...turn(''), messages: [{ role: 'user', text: 'xx', parts: [part, part] }] }).bytes;
  };
  assert.is(held({ type: 'search_result', source: 'https://a.b', title: 'A' }), held() + 11 + 1);
  assert.is(held({ type: 'document', title: 'Ab', context: 'old' }), held() + 2 + 3);
});

it('earlier assistant messages are counted in full: reasoning, its details, a refusal', () => {
  const earlier = { role: 'assistant', text: 'x' } as const;
  const bytesOf = (message: TurnMessage): number => promptSize(turn('', { messages: [message] })).bytes;
  const bare = bytesOf(earlier);
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
  assert.is(bytesOf(full), bare + 3 + 2 + 5 + 5 + 4);
});

it('sizes of messages and declarations add up to that of the prompt', () => {
  const prompt = turn('x', {
    messages: [
      { role: 'system', text: 'be brief' },
      { role: 'user', text: 'x', parts: [{ type: 'image', source: { kind: 'url', url: 'https://a/b.png' } }] },
    ],
    tools: [{ name: 'f', parameters: { type: 'object' } }],
  });
  const { messages, declarations } = sizesOf(prompt);
  assert.is(messages.length, 2);
  assert.equal(messages.reduce(addSize, declarations), promptSize(prompt));
  const [first] = messages;
  assert.equal(first, {
    ...promptSize({ ...prompt, messages: prompt.messages.slice(0, 1) }),
    tools: 0,
    ...{ bytes: 8, textTokens: 2 },
  });
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
  assert.ok(promptHeld(size) >= 16_384 && promptCount(size) >= 1_024);
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

it('all of an answer is counted, however long it is and wherever its dense text stands', () => {
  const sentence = 'The quick brown fox jumps over 13 lazy dogs. ';
  assert.is(textHundredths(sentence.repeat(1_000)), textHundredths(sentence) * 1_000);
  // Formerly eight windows of 128 characters, at fixed places, stood for a long text.
  const length = 20_000;
  const step = Math.floor((length - 128) / 7);
  const dense = Array.from({ length }, (_, at) => (at % step < 128 ? ' ' : at % 2 === 0 ? 'x' : '7')).join('');
  assert.ok(textHundredths(dense) / 100 > 5_000, `${textHundredths(dense) / 100} tokens`);
  for (const one of ['!', ' ', '\n', 'a', '-']) {
    assert.ok(textHundredths(one.repeat(length)) / 100 > length / 64, `a run of ${JSON.stringify(one)}`);
  }
});

test.run();
