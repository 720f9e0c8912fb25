import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { render } from '../../../../gateway/dialects/chat/render.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const FREE = { usage: {}, cost: '0', honoured: {} };
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };

it('a text reply has every published member (rule I45)', () => {
  const text = render(
    HEAD,
    [
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo\n"' },
      { type: 'finish', reason: 'stop', native: 'eos' },
      { type: 'usage', usage: {} },
    ],
    { usage: { promptTokens: 5, completionTokens: 2 }, cost: '0.0000123', honoured: {} },
    false,
  );
  assert.equal(JSON.parse(text), {
    id: 'gen-1',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'a/b',
    provider: 'P "x"',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello\n"', refusal: null, reasoning: 'hm' },
        logprobs: null,
        finish_reason: 'stop',
        native_finish_reason: 'eos',
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cost: 0.0000123 },
  });
  assert.match(text, /"cost":0\.0000123}}$/);
});

it('tool calls replace text, in their order', () => {
  const reply = JSON.parse(
    render(
      HEAD,
      [
        { type: 'tool-start', index: 0, id: 'a', name: 'f' },
        { type: 'tool-delta', index: 0, arguments: '{"x"' },
        { type: 'tool-start', index: 1, id: 'b', name: 'g' },
        { type: 'tool-delta', index: 0, arguments: ':1}' },
        { type: 'finish', reason: 'tool_calls', native: 'stop' },
      ],
      FREE,
      false,
    ),
  );
  assert.is(reply.choices[0].message.content, null);
  assert.equal(reply.choices[0].message.tool_calls, [
    { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
  ]);
  assert.equal(reply.usage, { cost: 0 });
});

it('an empty reply has empty text; a refusal has null', () => {
  const empty = JSON.parse(render(HEAD, [{ type: 'finish', reason: 'stop', native: null }], FREE, false));
  assert.is(empty.choices[0].message.content, '');
  const refused = JSON.parse(render(HEAD, [{ type: 'refusal-delta', text: 'no' }], FREE, false));
  assert.is(refused.choices[0].message.content, null);
  assert.is(refused.choices[0].message.refusal, 'no');
});

it('a reply without a recorded charge shows no usage (rule I54)', () => {
  assert.is(JSON.parse(render(HEAD, [], null, false)).usage, undefined);
});

it('fragments of one reasoning entry are joined, with the signature of the fragment that carries it (rule I47)', () => {
  const events: TurnEvent[] = [
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', index: 0, text: 'a', format: 'f' } },
    { type: 'reasoning-detail', detail: { type: 'reasoning.summary', index: 1, summary: 's' } },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', index: 0, text: 'b' } },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', index: 0, signature: 'sig' } },
    { type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data: 'x' } },
    { type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data: 'y' } },
  ];
  const { message } = JSON.parse(render(HEAD, events, FREE, false)).choices[0];
  assert.equal(message.reasoning_details, [
    { type: 'reasoning.text', index: 0, text: 'ab', format: 'f', signature: 'sig' },
    { type: 'reasoning.summary', index: 1, summary: 's' },
    { type: 'reasoning.encrypted', data: 'x' },
    { type: 'reasoning.encrypted', data: 'y' },
  ]);
  assert.not.ok('reasoning_details' in JSON.parse(render(HEAD, [], FREE, false)).choices[0].message, 'never empty');
});

it('reasoning.exclude hides only the reasoning, and keeps the count of its tokens (rule I19)', () => {
  const events: TurnEvent[] = [
    { type: 'reasoning-delta', text: 'secret' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'secret' } },
    { type: 'text-delta', text: 'open' },
  ];
  const text = render(HEAD, events, { usage: { reasoningTokens: 7 }, cost: '0', honoured: {} }, true);
  assert.not.match(text, /secret|"reasoning"|reasoning_details/);
  const { choices, usage } = JSON.parse(text);
  assert.is(choices[0].message.content, 'open');
  assert.equal(usage.completion_tokens_details, { reasoning_tokens: 7 });
});

it('a reply with only an image has empty text, never null (rule I48)', () => {
  const { message } = JSON.parse(
    render(HEAD, [{ type: 'image', url: 'data:image/png;base64,AA==', index: 0 }], FREE, false),
  ).choices[0];
  assert.is(message.content, '');
  assert.equal(message.images, [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, index: 0 }]);
});

it('speech is joined, with its reported members', () => {
  const events: TurnEvent[] = [
    { type: 'audio-delta', id: 'audio_1', transcript: 'he' },
    { type: 'audio-delta', data: 'AAA' },
    { type: 'audio-delta', data: 'BBB', transcript: 'llo' },
    { type: 'audio-delta', expiresAt: 1_750_003_600 },
  ];
  const { message } = JSON.parse(render(HEAD, events, FREE, false)).choices[0];
  assert.equal(message.audio, { id: 'audio_1', data: 'AAABBB', expires_at: 1_750_003_600, transcript: 'hello' });
  assert.is(message.content, '');
});

it('scores of tokens are concatenated, and both lists are present', () => {
  const events: TurnEvent[] = [
    { type: 'logprobs', content: [{ token: 'a', logprob: -1 }] },
    { type: 'logprobs', content: [{ token: 'b', logprob: -2 }] },
  ];
  const [choice] = JSON.parse(render(HEAD, events, FREE, false)).choices;
  assert.equal(choice.logprobs, {
    content: [
      { token: 'a', logprob: -1 },
      { token: 'b', logprob: -2 },
    ],
    refusal: null,
  });
});

it('beside hidden reasoning only the scores of the text are shown (rule I19)', () => {
  const scored = (...tokens: string[]): TurnEvent[] => [
    { type: 'reasoning-delta', text: 'secret' },
    { type: 'text-delta', text: 'ab' },
    { type: 'logprobs', content: tokens.map((token) => ({ token })) },
  ];
  const scoresOf = (events: TurnEvent[], hidden: boolean): unknown =>
    JSON.parse(render(HEAD, events, FREE, hidden)).choices[0].logprobs;
  assert.is(scoresOf(scored('secret', 'a', 'b'), true), null);
  assert.ok(scoresOf(scored('a', 'b'), true));
  assert.ok(scoresOf(scored('secret', 'a', 'b'), false));
});

it('the sources that an answer cites are its annotations (rule I143)', () => {
  const reply = JSON.parse(
    render(
      HEAD,
      [
        { type: 'text-delta', text: 'so [1]' },
        { type: 'citation', citation: { url: 'https://a.example/', title: 'A', passage: { start: 3, end: 6 } } },
        { type: 'finish', reason: 'stop', native: 'stop' },
      ],
      FREE,
      false,
    ),
  );
  assert.equal(reply.choices[0].message.annotations, [
    { type: 'url_citation', url_citation: { url: 'https://a.example/', title: 'A', start_index: 3, end_index: 6 } },
  ]);
});

test.run();
