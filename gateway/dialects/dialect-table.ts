import { chatDialect } from './chat/chat-dialect.ts';
import { completionDialect } from './completions/completion-dialect.ts';
import { embeddingsDialect } from './embeddings/embeddings-dialect.ts';
import { imagesDialect } from './images/images-dialect.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import type { Dialect } from './reply/dialect.ts';
import { rerankDialect } from './rerank/rerank-dialect.ts';
import { responsesDialect } from './responses/responses-dialect.ts';

/** Every dialect by its name. */
export const DIALECTS = {
  chat: chatDialect,
  completions: completionDialect,
  images: imagesDialect,
  messages: messagesDialect,
  responses: responsesDialect,
  embeddings: embeddingsDialect,
  rerank: rerankDialect,
} as const satisfies Readonly<Record<string, Dialect>>;
