import { createParser } from 'eventsource-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatFrames } from '../../../../gateway/dialects/chat/frames.ts';
import { DONE, KEEP_ALIVE, PROCESSING } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const PLAIN = { hidden: false, dispatch: false };
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'Ä "quoted"' };

interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly provider: string;
  readonly choices: readonly {
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
    readonly native_finish_reason?: string;
  }[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly honoured?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly metadata: object };
}

function read(text: string): string[] {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(text);
  return data;
}

function chunks(text: string): Chunk[] {
  return read(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
}

it('a comment ends in one newline and the terminator is a frame (rule I52)', () => {
  assert.is(PROCESSING, ': processing\n');
  assert.ok(KEEP_ALIVE.startsWith(': ') && KEEP_ALIVE.endsWith('\n') && !KEEP_ALIVE.endsWith('\n\n'));
  assert.equal(read(`${PROCESSING}${KEEP_ALIVE}${DONE}`), ['[DONE]']);
});

it('the first delta carries the role; every chunk carries its head and a finish_reason (rule I53)', () => {
  const frames = new ChatFrames(HEAD, PLAIN);
  const [first, second, third] = chunks(
    frames.of([
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: 'b' },
      { type: 'finish', reason: 'stop', native: 'eos' },
    ]),
  );
  assert.equal(first?.choices[0]?.delta, { role: 'assistant', content: 'a' });
  assert.equal(second?.choices[0]?.delta, { content: 'b' });
  assert.is(second?.choices[0]?.finish_reason, null);
  assert.equal(third?.choices[0], { index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'eos' } as never);
  for (const chunk of [first, second, third]) {
    assert.is(chunk?.id, 'gen-1');
    assert.is(chunk?.object, 'chat.completion.chunk');
    assert.is(chunk?.provider, HEAD.provider);
  }
});

it('the first fragment of a tool call carries index, id, type and name; only the first delta carries the role', () => {
  const events: TurnEvent[] = [
    { type: 'tool-start', index: 0, id: 'c"0', name: 'f' },
    { type: 'tool-delta', index: 0, arguments: '{"a":' },
    { type: 'tool-delta', index: 0, arguments: '1}' },
    { type: 'finish', reason: 'tool_calls', native: 'tool_calls' },
  ];
  const seen = chunks(new ChatFrames(HEAD, PLAIN).of(events)).map(({ choices }) => choices[0]?.delta);
  assert.equal(seen[0], {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'c"0', type: 'function', function: { name: 'f', arguments: '' } }],
  });
  assert.equal(seen[1], { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] });
  assert.equal(seen[3], {});
});

it('an answer without text carries a role', () => {
  const [only] = chunks(new ChatFrames(HEAD, PLAIN).of([{ type: 'finish', reason: 'length', native: null }]));
  assert.equal(only?.choices[0]?.delta, { role: 'assistant', content: '' });
});

it('upstream text cannot end a frame or start another one (rule I58)', () => {
  const hostile = 'x\n\ndata: [DONE]\n\nevent: error\r\n\r\n\u2028\u2029\0"}]}\\';
  const frames = new ChatFrames(HEAD, PLAIN).of([
    { type: 'text-delta', text: hostile },
    { type: 'reasoning-delta', text: hostile },
    { type: 'tool-start', index: 0, id: hostile, name: hostile },
  ]);
  const seen = chunks(frames);
  assert.is(seen.length, 3);
  assert.is(seen[0]?.choices[0]?.delta.content, hostile);
  assert.is(seen[1]?.choices[0]?.delta.reasoning, hostile);
  assert.not.match(frames, /^id:/m);
});

it('the last chunk has empty choices, the usage with the exact cost, and the honoured settings (rule I54)', () => {
  const usage = { promptTokens: 7, completionTokens: 3, cachedTokens: 2, reasoningTokens: 1 };
  const text = new ChatFrames(HEAD, PLAIN).end({
    usage,
    cost: '0.000000000000000000000123',
    honoured: { temperature: true },
  });
  assert.match(text, /"cost":0\.000000000000000000000123[,}]/);
  const [chunk] = chunks(text);
  assert.equal(chunk?.choices, []);
  assert.equal(chunk?.honoured, { temperature: true });
  assert.equal(chunk?.usage, {
    prompt_tokens: 7,
    completion_tokens: 3,
    total_tokens: 10,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
    cost: 1.23e-22,
  });
});

it('unreported counts are absent, and so is their total (rule I46)', () => {
  const [chunk] = chunks(
    new ChatFrames(HEAD, PLAIN).end({ usage: { completionTokens: 3, cachedTokens: 0 }, cost: '0', honoured: {} }),
  );
  assert.equal(chunk?.usage, { completion_tokens: 3, cost: 0 });
});

it('a cost that is not a JSON number throws', () => {
  assert.throws(() => new ChatFrames(HEAD, PLAIN).end({ usage: {}, cost: '1e-7', honoured: {} }), RangeError);
  assert.throws(() => new ChatFrames(HEAD, PLAIN).end({ usage: {}, cost: '0,1', honoured: {} }), RangeError);
});

it('an error in the stream is a chunk with error and finish_reason error, without its detail (rule I57)', () => {
  const error = new GatewayError({
    status: 502,
    type: 'provider_unavailable',
    message: 'broke off',
    detail: 'secret',
    metadata: { provider_name: 'A' },
  });
  const text = new ChatFrames(HEAD, PLAIN).of([{ type: 'error', error }]);
  const [chunk] = chunks(text);
  assert.equal(chunk?.error, {
    code: 502,
    message: 'broke off',
    metadata: { provider_name: 'A', error_type: 'provider_unavailable' },
  });
  assert.is(chunk?.choices[0]?.finish_reason, 'error');
  assert.not.match(text, /secret/);
});

it('plain and structured reasoning that arrives together is sent in one delta', () => {
  const [first, second] = chunks(
    new ChatFrames(HEAD, PLAIN).of([
      { type: 'reasoning-delta', text: 'a' },
      { type: 'reasoning-detail', detail: { type: 'reasoning.text', index: 0, text: 'a' } },
      { type: 'text-delta', text: 'x' },
    ]),
  );
  assert.equal(first?.choices[0]?.delta, {
    role: 'assistant',
    content: '',
    reasoning: 'a',
    reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'a' }],
  });
  assert.equal(second?.choices[0]?.delta, { content: 'x' });
});

it('reasoning.exclude sends no frame for reasoning, and the first visible delta has the role (rule I19)', () => {
  const frames = new ChatFrames(HEAD, { hidden: true, dispatch: false });
  assert.is(
    frames.of([
      { type: 'reasoning-delta', text: 'a' },
      { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'a' } },
    ]),
    '',
  );
  assert.equal(chunks(frames.of([{ type: 'text-delta', text: 'x' }]))[0]?.choices[0]?.delta, {
    role: 'assistant',
    content: 'x',
  });
});

it('scores are sent with the text that they score', () => {
  const [only, ...rest] = chunks(
    new ChatFrames(HEAD, PLAIN).of([
      { type: 'text-delta', text: 'x' },
      { type: 'logprobs', content: [{ token: 'x' }] },
    ]),
  );
  assert.equal(rest, []);
  assert.equal(only?.choices[0] as unknown, {
    index: 0,
    delta: { role: 'assistant', content: 'x' },
    logprobs: { content: [{ token: 'x' }], refusal: null },
    finish_reason: null,
  });
});

it('scores of hidden reasoning are hidden as well (rule I19)', () => {
  const events: TurnEvent[] = [
    { type: 'reasoning-delta', text: 'secret' },
    { type: 'logprobs', content: [{ token: 'secret' }] },
    { type: 'text-delta', text: 'x' },
    { type: 'logprobs', content: [{ token: 'x' }] },
  ];
  const text = new ChatFrames(HEAD, { hidden: true, dispatch: false }).of(events);
  assert.not.match(text, 'secret');
  assert.match(text, '"token":"x"');
  assert.match(new ChatFrames(HEAD, PLAIN).of(events), '"token":"secret"');
});

it('all sources that an answer cites leave in one chunk, before the finish (rule I143)', () => {
  const frames = new ChatFrames(HEAD, PLAIN);
  const cited = chunks(
    frames.of([
      { type: 'citation', citation: { url: 'https://a.example/"', passage: { start: 1, end: 4 } } },
      { type: 'text-delta', text: 'a [1]' },
    ]) +
      frames.of([
        { type: 'citation', citation: { url: 'https://b.example/', title: 'B', excerpt: 'so' } },
        { type: 'finish', reason: 'stop', native: 'stop' },
      ]),
  );
  assert.equal(
    cited.map(({ choices }) => choices[0]?.delta),
    [
      { role: 'assistant', content: 'a [1]' },
      {
        content: '',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.example/"', title: 'https://a.example/"', start_index: 1, end_index: 4 },
          },
          {
            type: 'url_citation',
            url_citation: { url: 'https://b.example/', title: 'B', content: 'so', start_index: 0, end_index: 0 },
          },
        ],
      },
      {},
    ],
  );
});

test.run();
