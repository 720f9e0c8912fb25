import type { Adapter } from '../adapter.ts';
import { nextBy } from '../model-list.ts';
import { cohereEmbedAdapter } from './embed.ts';
import { CohereReader } from './reply-reader.ts';
import { cohereWriter, leftOut } from './request-body.ts';
import { cohereRerankAdapter } from './rerank.ts';

/** Cohere: chat of its second version. */
export const cohereAdapter: Adapter = {
  address: () => '/v2/chat',
  credential: 'bearer',
  models: {
    path: '/v1/models',
    pages: { size: { page_size: '1000' }, next: ({ next_page_token }) => nextBy('page_token', next_page_token) },
  },
  takesBudget: true,
  leftOut,
  writer: cohereWriter,
  reader: (makeCallId, note) => new CohereReader(makeCallId, note),
  alone: { embeddings: cohereEmbedAdapter, rerank: cohereRerankAdapter },
};
