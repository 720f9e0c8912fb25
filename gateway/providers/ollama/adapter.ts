import type { Adapter } from '../adapter.ts';
import { jsonLines } from '../framing/json-lines.ts';
import { ollamaEmbedAdapter } from './embed.ts';
import { OllamaReader } from './reply-reader.ts';
import { leftOut, ollamaWriter } from './request-body.ts';

/** The native interface of Ollama. A server of one's own needs no key, its cloud a bearer token. */
export const ollamaAdapter: Adapter = {
  address: () => '/api/chat',
  credential: 'bearer',
  models: {
    path: '/api/tags',
    details: (model) => ({ path: '/api/show', body: JSON.stringify({ model }) }),
  },
  takesBudget: false,
  leftOut,
  writer: ollamaWriter,
  reader: (makeCallId, note) => new OllamaReader(makeCallId, note),
  framing: jsonLines,
  alone: { embeddings: ollamaEmbedAdapter },
};
