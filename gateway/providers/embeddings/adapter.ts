import { bearer } from '../../outbound/credentials.ts';
import type { Adapter } from '../adapter.ts';
import { EmbeddingsReader } from './reply-reader.ts';
import { embeddingsWriter } from './request-body.ts';

/** Numbers of all vectors: 1,365 vectors of 1,536 as a list of decimals; encoded ones are one text each. */
const REPLY_TOKENS_MAX = 2 * 1024 * 1024;

/** A provider that answers texts with vectors. Never streamed. */
export const embeddingsAdapter: Adapter = {
  address: () => '/embeddings',
  credentials: bearer,
  switchesReasoning: false,
  writer: embeddingsWriter,
  reader: (_makeCallId, note, asked) => new EmbeddingsReader(asked, note),
  replyTokensMax: REPLY_TOKENS_MAX,
};
