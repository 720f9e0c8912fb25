import { bearer } from '../../outbound/credentials.ts';
import type { Adapter } from '../adapter.ts';
import { ChatReader } from './reply-reader.ts';
import { chatWriter } from './request-body.ts';

/** The generic adapter: a provider that speaks chat completions. */
export const chatAdapter: Adapter = {
  address: () => '/chat/completions',
  credentials: bearer,
  switchesReasoning: false,
  writer: chatWriter,
  reader: (makeCallId, note) => new ChatReader(makeCallId, note),
};
