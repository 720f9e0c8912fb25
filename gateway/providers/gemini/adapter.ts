import type { Adapter } from '../adapter.ts';
import { GeminiReader } from './reply-reader.ts';
import { geminiWriter, leftOut } from './request-body.ts';

/** Of models that are not the provider's own: their ids name the collection. */
const COLLECTION = /^(?:models|tunedModels)\//;

/** Google's own API: `generateContent` of AI Studio and of Vertex. */
export const geminiAdapter: Adapter = {
  address: ({ upstreamId }, stream) =>
    modelPath(upstreamId) + (stream ? ':streamGenerateContent?alt=sse' : ':generateContent'),
  credential: 'x-goog-api-key',
  takesBudget: true,
  leftOut,
  writer: geminiWriter,
  reader: (makeCallId, note) => new GeminiReader(makeCallId, note),
};

function modelPath(upstreamId: string): string {
  const [collection] = COLLECTION.exec(upstreamId) ?? ['models/'];
  return `/${collection}${encodeURIComponent(upstreamId.replace(COLLECTION, ''))}`;
}
