import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { usageText } from '../../../../gateway/dialects/reply/usage-text.ts';
import type { Usage } from '../../../../gateway/terms/usage.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('cached_tokens is a number wherever prompt_tokens_details is present, and unreported details are absent (rule I46)', () => {
  const details = (usage: Usage): unknown => JSON.parse(usageText(usage, '0')).prompt_tokens_details;
  assert.equal(details({ cacheWriteTokens: 5, cacheWrite1hTokens: 2 }), { cached_tokens: 0, cache_write_tokens: 7 });
  assert.equal(details({ cachedTokens: 4 }), { cached_tokens: 4 });
  assert.is(details({ cachedTokens: 0, cacheWriteTokens: 0 }), undefined, 'no caching occurred');
  assert.is(details({}), undefined);
  const spoken = JSON.parse(usageText({ audioTokens: 3, imageTokens: 2 }, '0')).completion_tokens_details;
  assert.equal(spoken, { image_tokens: 2, audio_tokens: 3 });
});

test.run();
