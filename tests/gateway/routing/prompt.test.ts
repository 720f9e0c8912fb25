import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { question } from '../../../gateway/checks/probe-answer.ts';
import { tokensOf } from '../../../gateway/routing/prompt.ts';
import type { PromptTokens } from '../../../gateway/terms/plan.ts';
import { longSources, longText } from '../../fixtures/tokens/long-prompts.ts';
import { bounded } from '../../support/bounded.ts';
import { promptSize } from '../../support/prompt-sizes.ts';
import { Dice } from '../pricing/random-charge.ts';

const it = bounded(test);
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

function tokensIn(text: string, vocabulary: 'cl100k_base' | 'o200k_base'): PromptTokens {
  return tokensOf(promptSize(question('a/b', text), vocabulary));
}

it('no vocabulary counts a whole prompt of any language or code so low that it looks cut (rule K82)', () => {
  const dice = new Dice(7);
  let judged = 0;
  for (const source of longSources()) {
    const text = longText(source, 60_000, dice);
    for (const vocabulary of ['cl100k_base', 'o200k_base'] as const) {
      const { reportedMin } = tokensIn(text, vocabulary);
      if (reportedMin > 0) judged++;
      for (const count of [cl100k, o200k]) {
        const tokens = count(text, AS_TEXT);
        assert.ok(
          tokens >= 1.2 * reportedMin,
          `${source.kind}: ${tokens} tokens, at least ${reportedMin} by ${vocabulary}`,
        );
      }
    }
  }
  assert.ok(judged > 40, `${judged} prompts are long enough to judge`);
});

it('a quarter of a long prompt looks cut, and a short prompt is never judged', () => {
  const words = 'one two three four five six seven eight '.repeat(1_500);
  const { counted, reportedMin } = tokensIn(words, 'cl100k_base');
  assert.ok(reportedMin > counted / 5 && reportedMin <= counted / 4, `${reportedMin} of ${counted}`);
  assert.is(tokensIn(words.slice(0, words.length / 2), 'cl100k_base').reportedMin, 0);
});

test.run();
