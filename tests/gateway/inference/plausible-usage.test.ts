import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plausibleUsage, type UsageBounds } from '../../../gateway/inference/usage-meter.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

const bounds = (promptTokensMax: number, completionTokensMax: number): UsageBounds => ({
  promptTokensMax,
  completionTokensMax,
});

it('plausible usage is returned unchanged', () => {
  const usage = {
    ...{ promptTokens: 200, cachedTokens: 150, cacheWriteTokens: 30, cacheWrite1hTokens: 20 },
    ...{ completionTokens: 20, reasoningTokens: 10, imageTokens: 5, audioTokens: 5 },
  };
  assert.is(plausibleUsage(usage, bounds(200, 20)), usage);
  const nothing = {};
  assert.is(plausibleUsage(nothing, bounds(100, 20)), nothing);
});

it('a total beyond the admitted size is dropped together with its parts (rule K73)', () => {
  const usage = { promptTokens: 201, cachedTokens: 10, completionTokens: 20, reasoningTokens: 3 };
  assert.equal(plausibleUsage(usage, bounds(200, 20)), { completionTokens: 20, reasoningTokens: 3 });
  assert.equal(plausibleUsage({ ...usage, promptTokens: 5, cachedTokens: 5, completionTokens: 41 }, bounds(200, 20)), {
    promptTokens: 5,
    cachedTokens: 5,
  });
});

it('an answer above its ceiling counts as the ceiling, and its parts may not exceed that', () => {
  const usage = { promptTokens: 10, completionTokens: 40, reasoningTokens: 20 };
  assert.equal(plausibleUsage(usage, bounds(200, 20)), { promptTokens: 10, completionTokens: 20, reasoningTokens: 20 });
  assert.equal(plausibleUsage({ ...usage, reasoningTokens: 21 }, bounds(200, 20)), {
    promptTokens: 10,
    completionTokens: 20,
  });
});

it('parts that add up to more than their total are dropped', () => {
  const usage = { promptTokens: 10, cachedTokens: 6, cacheWriteTokens: 5, completionTokens: 10, audioTokens: 11 };
  assert.equal(plausibleUsage(usage, bounds(100, 100)), { promptTokens: 10, completionTokens: 10 });
});

test.run();
