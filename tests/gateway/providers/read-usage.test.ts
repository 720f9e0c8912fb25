import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readUsage as readChat } from '../../../gateway/providers/chat/read-usage.ts';
import { readUsage as readMessages } from '../../../gateway/providers/messages/read-usage.ts';
import type { Usage } from '../../../gateway/terms/usage.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 30_000);
const RUNS = { numRuns: 2_000 };

const count = fc.integer({ min: 0, max: 20_000_000 });
const some = fc.integer({ min: 1, max: 20_000_000 });
/** What stands where a count should and is none. */
const noCount = fc.oneof(
  fc.integer({ max: -1 }),
  fc.double({ min: 0.1, max: 1e6, noInteger: true }),
  fc.integer({ min: 100_000_001 }),
  fc.constantFrom<unknown>('12', '', true, {}, [], Number.NaN, Number.POSITIVE_INFINITY, 1e18, -0.5),
);
/** The truth about one reply, from which both ways of reporting it follow. */
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

/** Totals hold their parts, as the chat dialect has it. */
function included({ fresh, read, write, visible, thought }: Truth): object {
  return {
    prompt_tokens: fresh + read + write,
    completion_tokens: visible + thought,
    total_tokens: fresh + read + write + visible + thought,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

/** Totals leave their parts out, and only the stated sum tells. */
function excluded({ fresh, read, write, visible, thought }: Truth): object {
  return {
    prompt_tokens: fresh,
    completion_tokens: visible,
    total_tokens: fresh + read + write + visible + thought,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

it('both ways of counting cached tokens and reasoning come out as the same record', () => {
  fc.assert(
    fc.property(truth, (told) => {
      assert.equal(readChat(included(told)), expected(told));
      assert.equal(readChat(excluded(told)), expected(told));
    }),
    RUNS,
  );
});

it('the messages dialect leaves the cache out of its input, and the record holds it', () => {
  fc.assert(
    fc.property(truth, (told) => {
      const { fresh, read, write, written, visible, thought } = told;
      const usage = {
        input_tokens: fresh,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write + written,
        cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: written },
        output_tokens: visible + thought,
        output_tokens_details: { thinking_tokens: thought },
      };
      const wanted = { ...expected(told), promptTokens: fresh + read + write + written, cacheWrite1hTokens: written };
      assert.equal(readMessages(usage), wanted);
      assert.equal(readChat(usage), wanted.reasoningTokens === undefined ? wanted : withoutReasoning(wanted));
    }),
    RUNS,
  );
});

/** The chat reader does not know that name of the count. */
function withoutReasoning({ reasoningTokens: _reasoning, ...usage }: Usage): Usage {
  return usage;
}

it('one hour writes are told apart from those of five minutes, whichever of the two is named', () => {
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
  // More in one part than in all, and a sum that is not theirs: which is false nobody can tell.
  assert.equal(usage({ cache_creation_input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 4 } }), {});
  assert.equal(
    usage({
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 9 },
    }),
    {},
  );
});

it('the names that servers use for cached tokens mean the same', () => {
  const wanted = { promptTokens: 100, cachedTokens: 60, completionTokens: 5 };
  const counts = { prompt_tokens: 100, completion_tokens: 5 };
  assert.equal(readChat({ ...counts, prompt_tokens_details: { cached_tokens: 60 } }), wanted);
  assert.equal(readChat({ ...counts, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }), wanted);
  assert.equal(readChat({ ...counts, cached_tokens: 60 }), wanted);
  assert.equal(readChat({ ...counts, cache_read_input_tokens: 60, total_tokens: 105 }), wanted);
  assert.equal(readChat({ input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 60 } }), wanted);
  assert.equal(readChat({ ...counts, prompt_tokens: 40, cache_read_input_tokens: 60, total_tokens: 105 }), wanted);
  assert.equal(readChat({ input_tokens: 40, output_tokens: 5, cache_read_input_tokens: 60 }), wanted);
});

it('a sum that fits in two ways proves nothing', () => {
  const usage = readChat({
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 160,
    prompt_tokens_details: { cached_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 10 },
  });
  assert.equal(usage, { promptTokens: 100, cachedTokens: 10, completionTokens: 50, reasoningTokens: 10 });
});

it('parts larger than their whole contradict it: all of them are unreported', () => {
  fc.assert(
    fc.property(count, some, some, (total, more, other) => {
      const usage = {
        prompt_tokens: total,
        completion_tokens: other,
        prompt_tokens_details: { cached_tokens: total + more },
      };
      assert.equal(readChat(usage), { completionTokens: other });
      const details = { reasoning_tokens: total, image_tokens: more };
      assert.equal(readChat({ prompt_tokens: other, completion_tokens: total, completion_tokens_details: details }), {
        promptTokens: other,
      });
    }),
    RUNS,
  );
});

it('what is no count is unreported and spoils the sum it belongs to, and nothing else', () => {
  fc.assert(
    fc.property(noCount, count, (broken, told) => {
      assert.equal(readChat({ prompt_tokens: broken, completion_tokens: told }), { completionTokens: told });
      assert.equal(readChat({ prompt_tokens: told, completion_tokens: broken }), { promptTokens: told });
      assert.is(readChat({ prompt_tokens: broken, completion_tokens: broken, total_tokens: broken }), null);
      const details = { prompt_tokens_details: { cached_tokens: broken } };
      assert.equal(readChat({ prompt_tokens: told, ...details }), { promptTokens: told });
      const spoilt = { input_tokens: told, cache_read_input_tokens: broken, output_tokens: 3 };
      assert.equal(readMessages(spoilt), { completionTokens: 3 });
    }),
    RUNS,
  );
});

it('no usage whatever makes it throw, or gives a count that is none, or parts above their whole', () => {
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
