import type { Adapter } from '../adapter.ts';
import { nextBy } from '../model-list.ts';
import { geminiEmbedAdapter } from './embed.ts';
import { modelPath } from './model-path.ts';
import { GeminiReader } from './reply-reader.ts';
import { geminiWriter, leftOut } from './request-body.ts';

/** Google's own API: `generateContent` of AI Studio and of Vertex. */
export const geminiAdapter: Adapter = {
  address: ({ upstreamId }, stream) =>
    modelPath(upstreamId) + (stream ? ':streamGenerateContent?alt=sse' : ':generateContent'),
  credential: 'x-goog-api-key',
  models: {
    path: '/models',
    pages: { size: { pageSize: '1000' }, next: ({ nextPageToken }) => nextBy('pageToken', nextPageToken) },
  },
  takesBudget: true,
  leftOut,
  writer: geminiWriter,
  reader: (makeCallId, note) => new GeminiReader(makeCallId, note),
  alone: { embeddings: geminiEmbedAdapter },
};
