import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import { parseCount } from '../../dialects/messages/parse.ts';
import { messagesError, tokenCountReply } from '../../dialects/messages/reply-schema.ts';
import { countRequest } from '../../dialects/messages/request-schema.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer } from '../../http/write-answer.ts';
import { promptNeeds } from '../../routing/prompt-needs.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import type { Turn } from '../../terms/turn.ts';
import { measurePrompt } from '../../tokens/measure-prompt.ts';
import { promptCount, totalSize } from '../../tokens/prompt-size.ts';
import type { Operations } from '../wire/operation.ts';

interface CountParts {
  readonly cluster: Pick<Cluster, 'board'>;
  readonly clock: Clock;
}

/** What the document says of the routes. */
export const COUNT_OPERATIONS: Operations = {
  'POST /messages/count_tokens': {
    key: 'inference',
    summary: 'Estimates the tokens of a prompt',
    description: 'Counts by the tokenizers of the endpoints of the model. Calls no provider and costs nothing.',
    answers: 'The estimate: the largest, where tokenizers differ.',
    body: { TokenCountRequest: countRequest },
    reply: { TokenCount: tokenCountReply },
    failure: { MessagesError: messagesError },
  },
};

/**
 * `POST /messages/count_tokens`: the tokens of a prompt by the tokenizers of the model's endpoints, the largest count
 * where they differ. Calls no provider and charges nothing. Stored files are not read. (rule I78)
 */
export function countTokensRoute(parts: CountParts): Route {
  return {
    method: 'POST',
    path: '/messages/count_tokens',
    policy: 'key',
    body: JSON_BODY,
    answer: async (context) => {
      const { value } = takeBody(context);
      return jsonAnswer(JSON.stringify({ input_tokens: await countTokens(parseCount(value), parts) }));
    },
  };
}

async function countTokens(turn: Turn, { cluster, clock }: CountParts): Promise<number> {
  const board = endpointsOn(cluster.board);
  const needs = promptNeeds(turn, board);
  if (needs.vocabularies.size === 0) throw unknownModel(turn.models[0] as string, board);
  const sizes = await measurePrompt(turn, needs, clock);
  return Math.max(...[...sizes.values()].map((size) => promptCount(totalSize(size))));
}
