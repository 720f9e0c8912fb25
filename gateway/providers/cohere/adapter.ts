import type { Adapter } from '../adapter.ts';
import { cohereEmbedAdapter } from './embed.ts';
import { CohereReader } from './reply-reader.ts';
import { cohereWriter, leftOut } from './request-body.ts';

/** Cohere: chat of its second version. */
export const cohereAdapter: Adapter = {
  address: () => '/v2/chat',
  credential: 'bearer',
  takesBudget: true,
  leftOut,
  writer: cohereWriter,
  reader: (makeCallId, note) => new CohereReader(makeCallId, note),
  embeds: cohereEmbedAdapter,
};
