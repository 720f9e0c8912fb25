import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Adapter } from '../../../gateway/providers/adapter.ts';
import { chatAdapter } from '../../../gateway/providers/chat/adapter.ts';
import { readUsage as readChat } from '../../../gateway/providers/chat/read-usage.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { readUsage as readMessages } from '../../../gateway/providers/messages/read-usage.ts';
import type { Usage } from '../../../gateway/terms/usage.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const RUNS = { numRuns: 2_000 };

const count = fc.integer({ min: 0, max: 20_000_000 });
const some = fc.integer({ min: 1, max: 20_000_000 });
/** Invalid counts. */
const noCount = fc.oneof(
  fc.integer({ max: -1 }),
  fc.double({ min: 0.1, max: 1e6, noInteger: true }),
  fc.integer({ min: 100_000_001 }),
  fc.constantFrom<unknown>('12', '', true, {}, [], Number.NaN, Number.POSITIVE_INFINITY, 1e18, -0.5),
);
/** The true counts of one reply, from which both forms of reporting follow. */
const truth = fc.record({ fresh: count, read: count, write: count, written: count, visible: count, thought: count });

interface Truth {
  readonly fresh: number;
  readonly read: number;
  readonly write: number;
  readonly visible: number;
  readonly thought: number;
}

function expected({ fresh, read, write, visible, thought }: Truth): Usage {
  return {
    promptTokens: fresh + read + write,
    cachedTokens: read,
    cacheWriteTokens: write,
    completionTokens: visible + thought,
    reasoningTokens: thought,
  };
}

/** Totals include their parts, as in the chat dialect. */
function included({ fresh, read, write, visible, thought }: Truth): object {
  return {
    prompt_tokens: fresh + read + write,
    completion_tokens: visible + thought,
    total_tokens: fresh + read + write + visible + thought,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

/** Totals exclude their parts, which only the stated sum shows. */
function excluded({ fresh, read, write, visible, thought }: Truth): object {
  return {
    prompt_tokens: fresh,
    completion_tokens: visible,
    total_tokens: fresh + read + write + visible + thought,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

it('both forms of counting cached tokens and reasoning give the same record', () => {
  fc.assert(
    fc.property(truth, (reported) => {
      assert.equal(readChat(included(reported)), expected(reported));
      assert.equal(readChat(excluded(reported)), expected(reported));
    }),
    RUNS,
  );
});

it('the messages dialect excludes the cache from its input, and the record includes it (rule I75)', () => {
  fc.assert(
    fc.property(truth, (reported) => {
      const { fresh, read, write, written, visible, thought } = reported;
      const usage = {
        input_tokens: fresh,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write + written,
        cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: written },
        output_tokens: visible + thought,
        output_tokens_details: { thinking_tokens: thought },
      };
      const wanted = {
        ...expected(reported),
        promptTokens: fresh + read + write + written,
        cacheWrite1hTokens: written,
      };
      assert.equal(readMessages(usage), wanted);
      assert.equal(readChat(usage), wanted.reasoningTokens === undefined ? wanted : withoutReasoning(wanted));
    }),
    RUNS,
  );
});

/** A name of the count that the chat reader ignores. */
function withoutReasoning({ reasoningTokens: _reasoning, ...usage }: Usage): Usage {
  return usage;
}

it('distinguishes writes for one hour from those for five minutes if either is reported', () => {
  const usage = (more: object) => readMessages({ input_tokens: 1, ...more });
  assert.equal(usage({ cache_creation_input_tokens: 9 }), { promptTokens: 10, cacheWriteTokens: 9 });
  assert.equal(usage({ cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 4 } }), {
    promptTokens: 10,
    cacheWriteTokens: 5,
    cacheWrite1hTokens: 4,
  });
  assert.equal(usage({ cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 0 } }), {
    promptTokens: 10,
    cacheWriteTokens: 9,
    cacheWrite1hTokens: 0,
  });
  // A part larger than the total, and sums that do not match: the total counts.
  assert.equal(usage({ cache_creation_input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 4 } }), {
    promptTokens: 4,
    cacheWriteTokens: 3,
  });
  assert.equal(
    usage({
      cache_creation_input_tokens: 10_345,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    }),
    { promptTokens: 10_346, cacheWriteTokens: 10_345 },
  );
  assert.equal(
    usage({
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 9 },
    }),
    { promptTokens: 10, cacheWriteTokens: 9 },
  );
});

it('a stream whose counts contradict each other keeps its totals, in both dialects', () => {
  const ended = (adapter: Adapter, frames: readonly object[]): Usage => {
    const reader = adapter.reader(String);
    for (const frame of frames) reader.readFrame(undefined, JSON.stringify(frame), []);
    return reader.usage;
  };
  const chat = (usage: object): Usage => ended(chatAdapter, [{ choices: [], usage }]);
  const details = { cached_tokens: 2_161, cache_write_tokens: 2_161 };
  assert.equal(chat({ prompt_tokens: 2_168, completion_tokens: 5, prompt_tokens_details: details }), {
    promptTokens: 2_168,
    completionTokens: 5,
  });
  assert.equal(chat({ prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 161 } }), {
    promptTokens: 10,
    completionTokens: 5,
  });
  const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
  const usage = { input_tokens: 3, cache_creation_input_tokens: 0, cache_creation };
  const delta = { stop_reason: 'end_turn' };
  const late = { cache_creation_input_tokens: 10_345, output_tokens: 7 };
  assert.equal(
    ended(messagesAdapter, [
      { type: 'message_start', message: { id: 'm', usage } },
      { type: 'message_delta', delta, usage: late },
    ]),
    { promptTokens: 10_348, cacheWriteTokens: 10_345, completionTokens: 7 },
  );
});

it('accepts every name that servers use for cached tokens', () => {
  const wanted = { promptTokens: 100, cachedTokens: 60, completionTokens: 5 };
  const counts = { prompt_tokens: 100, completion_tokens: 5 };
  assert.equal(readChat({ ...counts, prompt_tokens_details: { cached_tokens: 60 } }), wanted);
  assert.equal(readChat({ ...counts, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }), wanted);
  assert.equal(readChat({ ...counts, cached_tokens: 60 }), wanted);
  assert.equal(readChat({ ...counts, num_cached_tokens: 60 }), wanted);
  assert.equal(readChat({ ...counts, cache_read_input_tokens: 60, total_tokens: 105 }), wanted);
  assert.equal(readChat({ input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 60 } }), wanted);
  assert.equal(readChat({ ...counts, prompt_tokens: 40, cache_read_input_tokens: 60, total_tokens: 105 }), wanted);
  assert.equal(readChat({ input_tokens: 40, output_tokens: 5, cache_read_input_tokens: 60 }), wanted);
});

it('a sum with two explanations proves nothing', () => {
  const usage = readChat({
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 160,
    prompt_tokens_details: { cached_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 10 },
  });
  assert.equal(usage, { promptTokens: 100, cachedTokens: 10, completionTokens: 50, reasoningTokens: 10 });
});

it('tokens that only the stated sum counts are reasoning, or the audio of the prompt (rule K73)', () => {
  const thought = (prompt_tokens: number, completion_tokens: number, total_tokens: number, more: object = {}) =>
    readChat({ prompt_tokens, completion_tokens, total_tokens, ...more });
  assert.equal(thought(35, 12, 109), { promptTokens: 35, completionTokens: 74, reasoningTokens: 62 });
  assert.equal(thought(66, 6, 100, { completion_tokens_details: { reasoning_tokens: 0 } }), {
    promptTokens: 66,
    completionTokens: 34,
    reasoningTokens: 28,
  });
  assert.equal(thought(9, 10, 394, { prompt_audio_seconds: 15 }), { promptTokens: 384, completionTokens: 10 });
  // The rest of the sum has another name, or is a total that was not reported.
  assert.equal(thought(9, 10, 24, { completion_tokens_details: { reasoning_tokens: 4 } }), {
    promptTokens: 9,
    completionTokens: 10,
    reasoningTokens: 4,
  });
  assert.equal(readChat({ completion_tokens: 10, total_tokens: 394 }), { completionTokens: 10 });
  assert.equal(readChat({ prompt_tokens: 9, total_tokens: 394 }), { promptTokens: 9 });
});

it('parts larger than their total contradict it: they are unreported, and the total counts (rule K73)', () => {
  const cached = (prompt: number, details: object) =>
    readChat({ prompt_tokens: prompt, completion_tokens: 5, prompt_tokens_details: details });
  assert.equal(cached(2_168, { cached_tokens: 2_161, cache_write_tokens: 2_161 }), {
    promptTokens: 2_168,
    completionTokens: 5,
  });
  assert.equal(cached(10, { cached_tokens: 161 }), { promptTokens: 10, completionTokens: 5 });
  fc.assert(
    fc.property(count, some, some, (total, more, other) => {
      const usage = {
        prompt_tokens: total,
        completion_tokens: other,
        prompt_tokens_details: { cached_tokens: total + more },
      };
      assert.equal(readChat(usage), { promptTokens: total, completionTokens: other });
      const details = { reasoning_tokens: total, image_tokens: more };
      assert.equal(readChat({ prompt_tokens: other, completion_tokens: total, completion_tokens_details: details }), {
        promptTokens: other,
        completionTokens: total,
      });
    }),
    RUNS,
  );
});

it('an invalid count is unreported and affects only its own sum', () => {
  fc.assert(
    fc.property(noCount, count, (broken, reported) => {
      assert.equal(readChat({ prompt_tokens: broken, completion_tokens: reported }), { completionTokens: reported });
      assert.equal(readChat({ prompt_tokens: reported, completion_tokens: broken }), { promptTokens: reported });
      assert.is(readChat({ prompt_tokens: broken, completion_tokens: broken, total_tokens: broken }), null);
      const details = { prompt_tokens_details: { cached_tokens: broken } };
      assert.equal(readChat({ prompt_tokens: reported, ...details }), { promptTokens: reported });
      const spoilt = { input_tokens: reported, cache_read_input_tokens: broken, output_tokens: 3 };
      assert.equal(readMessages(spoilt), { completionTokens: 3 });
    }),
    RUNS,
  );
});

it('never throws and never returns an invalid count or parts above their total, for any usage', () => {
  const names = [
    ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens', 'cached_tokens'],
    ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'prompt_cache_hit_tokens', 'reasoning_tokens'],
  ];
  const value = fc.oneof(count, noCount, fc.constant(null));
  const details = fc.oneof(
    fc.anything(),
    fc.dictionary(
      fc.constantFrom('cached_tokens', 'reasoning_tokens', 'image_tokens', 'ephemeral_1h_input_tokens'),
      value,
    ),
  );
  const usage = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...names), value),
      fc.dictionary(
        fc.constantFrom('prompt_tokens_details', 'completion_tokens_details', 'cache_creation', 'input_tokens_details'),
        details,
      ),
    )
    .map(([counts, parts]) => ({ ...counts, ...parts }));
  fc.assert(
    fc.property(usage, (reported) => {
      for (const read of [readChat(reported) ?? {}, readMessages(reported)]) sound(read);
    }),
    { numRuns: 5_000 },
  );
  for (const nothing of [null, undefined, 5, 'text', [], {}]) assert.is(readChat(nothing), null);
});

function sound(usage: Usage): void {
  for (const [name, value] of Object.entries(usage)) {
    assert.ok(Number.isSafeInteger(value) && value >= 0, `${name} is ${value}`);
  }
  const { cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0, promptTokens = 0 } = usage;
  assert.ok(cachedTokens + cacheWriteTokens + cacheWrite1hTokens <= promptTokens, JSON.stringify(usage));
  const { reasoningTokens = 0, imageTokens = 0, audioTokens = 0, completionTokens = 0 } = usage;
  assert.ok(reasoningTokens + imageTokens + audioTokens <= completionTokens, JSON.stringify(usage));
}

test.run();
