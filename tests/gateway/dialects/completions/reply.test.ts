import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { render } from '../../../../gateway/dialects/completions/completion-dialect.ts';
import { CompletionFrames } from '../../../../gateway/dialects/completions/frames.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };
const CLOSING = { usage: { promptTokens: 5, completionTokens: 2 }, cost: '0.0000123', honoured: { seed: true } };
const FINISH: TurnEvent = { type: 'finish', reason: 'stop', native: 'eos' };

interface Scores {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[];
  text_offset: number[];
}

interface Chunk {
  readonly object: string;
  readonly choices: readonly { text: string; logprobs: Scores | null; finish_reason: string | null }[];
  readonly usage?: object;
  readonly honoured?: object;
  readonly error?: object;
}

function read(text: string): { chunks: Chunk[]; last: string } {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(text);
  return { chunks: data.slice(0, -1).map((each) => JSON.parse(each) as Chunk), last: data.at(-1) as string };
}

it('a whole completion has text, usage and cost, and no member of a chat message (rule I63)', () => {
  const events: TurnEvent[] = [
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'Hel' },
    { type: 'text-delta', text: 'lo"\n' },
    FINISH,
  ];
  assert.equal(JSON.parse(render(HEAD, events, CLOSING, null)), {
    id: 'gen-1',
    object: 'text_completion',
    created: 1_750_000_000,
    model: 'a/b',
    provider: 'P "x"',
    system_fingerprint: null,
    choices: [{ index: 0, text: 'Hello"\n', logprobs: null, finish_reason: 'stop', native_finish_reason: 'eos' }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cost: 0.0000123 },
  });
  assert.is(JSON.parse(render(HEAD, events, null, null)).usage, undefined);
});

it('echo puts the prompt before the answer, and the offsets of scores start after it (rule I64)', () => {
  const events: TurnEvent[] = [
    { type: 'text-delta', text: 'ab' },
    {
      type: 'logprobs',
      content: [
        {
          token: 'a',
          logprob: -0.5,
          top_logprobs: [
            { token: 'a', logprob: -0.5 },
            { token: '__proto__', logprob: -2 },
          ],
        },
        { token: 'b', logprob: 'x', top_logprobs: [] },
        null,
      ],
    },
    FINISH,
  ];
  const [choice] = (JSON.parse(render(HEAD, events, CLOSING, 'pre ')) as Chunk).choices;
  assert.is(choice?.text, 'pre ab');
  assert.equal(choice?.logprobs?.tokens, ['a', 'b', '']);
  assert.equal(choice?.logprobs?.token_logprobs, [-0.5, null, null]);
  assert.equal(choice?.logprobs?.text_offset, [4, 5, 6]);
  assert.equal(Object.keys(choice?.logprobs?.top_logprobs[0] ?? {}), ['a', '__proto__']);
  assert.equal(choice?.logprobs?.top_logprobs.slice(1), [null, null]);
});

it('a stream ends with usage and honoured, then the terminator (rule I55)', () => {
  const frames = new CompletionFrames(HEAD, null);
  const { chunks, last } = read(frames.of([FINISH]) + frames.end(CLOSING));
  assert.is(last, '[DONE]');
  assert.equal(chunks.at(-1)?.choices, []);
  assert.equal(chunks.at(-1)?.honoured, { seed: true });
  assert.ok(chunks.every(({ object }) => object === 'text_completion'));
});

it('an error is a chunk with error and finish_reason error, then the terminator, without usage (rule I57)', () => {
  const error = new GatewayError({ status: 502, type: 'provider_unavailable', message: 'no', detail: 'secret' });
  const frames = new CompletionFrames(HEAD, 'echo');
  const text = frames.of([{ type: 'error', error }]) + frames.end(null);
  const { chunks, last } = read(text);
  assert.is(chunks.length, 1);
  assert.equal(chunks[0]?.error, { code: 502, message: 'no', metadata: { error_type: 'provider_unavailable' } });
  assert.is(chunks[0]?.choices[0]?.finish_reason, 'error');
  assert.is(last, '[DONE]');
  assert.not.match(text, /secret/);
});

const words = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
const part = fc.oneof(
  words.map((text): TurnEvent => ({ type: 'text-delta', text })),
  words.map((text): TurnEvent => ({ type: 'reasoning-delta', text })),
  fc
    .array(fc.record({ token: words, logprob: fc.integer({ min: -9, max: 0 }) }), { maxLength: 3 })
    .map((content): TurnEvent => ({ type: 'logprobs', content })),
);

it('streamed texts and scores add up to the whole completion (rule I50)', () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 6 }), fc.option(words), (batches, echo) => {
      const frames = new CompletionFrames(HEAD, echo);
      const text = batches.map((batch) => frames.of(batch)).join('') + frames.of([FINISH]) + frames.end(CLOSING);
      const rebuilt = { text: '', scores: null as Scores | null };
      for (const { choices } of read(text).chunks) {
        for (const choice of choices) {
          rebuilt.text += choice.text;
          if (choice.logprobs) rebuilt.scores = joined(rebuilt.scores, choice.logprobs);
        }
      }
      const whole = JSON.parse(render(HEAD, [...batches.flat(), FINISH], CLOSING, echo)) as Chunk;
      assert.is(rebuilt.text, whole.choices[0]?.text);
      assert.equal(rebuilt.scores, whole.choices[0]?.logprobs ?? null);
    }),
    { numRuns: 1_000 },
  );
});

function joined(before: Scores | null, more: Scores): Scores {
  if (before === null) return more;
  return {
    tokens: before.tokens.concat(more.tokens),
    token_logprobs: before.token_logprobs.concat(more.token_logprobs),
    top_logprobs: before.top_logprobs.concat(more.top_logprobs),
    text_offset: before.text_offset.concat(more.text_offset),
  };
}

test.run();
