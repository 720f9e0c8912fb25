import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { parseCount } from '../../dialects/messages/parse.ts';
import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { EdgeServices } from '../../edge/services.ts';
import { jsonAnswer } from '../../http/route-answer.ts';
import { promptNeeds } from '../../routing/prompt-needs.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import type { Turn } from '../../terms/turn.ts';
import { measurePrompt } from '../../tokens/measure-prompt.ts';
import { promptCount } from '../../tokens/prompt-count.ts';
import { totalSize } from '../../tokens/prompt-size.ts';

/**
 * `POST /messages/count_tokens`: the tokens of a prompt by the tokenizers of the model's endpoints, the largest count
 * where they differ. Calls no provider and charges nothing. Stored files are not read. (rule I78)
 */
export const countTokensRoute: Route = {
  method: 'POST',
  path: '/messages/count_tokens',
  policy: 'key',
  body: 'json',
  answer: async (context, { services }) => {
    const { value } = takeBody(context);
    return jsonAnswer(JSON.stringify({ input_tokens: await countTokens(parseCount(value), services) }));
  },
};

async function countTokens(turn: Turn, { inference }: EdgeServices): Promise<number> {
  const board = endpointsOn(inference.cluster.board);
  const needs = promptNeeds(turn, board);
  if (needs.vocabularies.size === 0) throw unknownModel(turn.models[0] as string, board);
  const sizes = await measurePrompt(turn, needs, inference.clock);
  return Math.max(...[...sizes.values()].map((size) => promptCount(totalSize(size))));
}
