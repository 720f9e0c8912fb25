import type { Turn } from '../../gateway/terms/turn.ts';
import { measurePromptNow } from '../../gateway/tokens/measure-prompt.ts';
import { type PromptSize, type TurnSizes, totalSize } from '../../gateway/tokens/prompt-size.ts';
import { DENSEST, loadVocabulary, type VocabularyName } from '../../gateway/tokens/vocabulary.ts';

/** Plans and sizes of tests count at once, so the vocabularies are in memory before. */
for (const name of [DENSEST, 'o200k_base'] as const) await loadVocabulary(name);

/** The sizes of a turn by one vocabulary. */
export function sizesOf(turn: Turn, vocabulary: VocabularyName = DENSEST): TurnSizes {
  const needs = { vocabularies: new Set([vocabulary]), windowMax: 1 };
  return measurePromptNow(turn, needs).get(vocabulary) as TurnSizes;
}

export function promptSize(turn: Turn, vocabulary: VocabularyName = DENSEST): PromptSize {
  return totalSize(sizesOf(turn, vocabulary));
}
