import type { Json } from '../../actors/runtime/index.ts';
import type { Turn } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import type { PromptNeeds } from '../tokens/measure-prompt.ts';
import type { VocabularyName } from '../tokens/vocabulary.ts';
import { endpointIndex } from './endpoints/endpoint-index.ts';
import { resolve } from './endpoints/resolve.ts';

/**
 * What has to be known of a turn's prompt to plan it, by the endpoints of its models. `board` is the topic `endpoints`.
 */
export function promptNeeds(turn: Pick<Turn, 'kind' | 'models'>, board: ReadonlyMap<string, Json>): PromptNeeds {
  const models = endpointIndex(board);
  const vocabularies = new Set<VocabularyName>();
  let windowMax = 0;
  for (const requested of turn.models) {
    for (const { vocabulary, endpoint } of resolve(models, requested)?.endpoints ?? []) {
      vocabularies.add(vocabulary);
      windowMax = Math.max(windowMax, endpoint.contextLength);
    }
  }
  return { vocabularies, windowMax: rulesOf(turn).inputs?.tokensMax ?? windowMax };
}
