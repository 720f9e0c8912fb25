import type { TurnMessage } from '../../terms/turn.ts';
import type { Adapter } from '../adapter.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { pictureIn, rankingWriter, rerankAdapter } from '../rerank/adapter.ts';

/** Documents are texts: a picture is refused before the call. */
function documentOf(message: TurnMessage, nth: number): string {
  if (pictureIn(message) === undefined) return message.text ?? '';
  throw new ProviderFailure('rejected', 'the wire ranks no pictures', null, {
    code: 'unsupported_parameter',
    param: `messages[${nth}]`,
  });
}

/** Rankings: `/v2/rerank`. Never streamed. */
export const cohereRerankAdapter: Adapter = {
  ...rerankAdapter,
  address: () => '/v2/rerank',
  writer: (endpoint) => rankingWriter(endpoint, documentOf, {}),
};
