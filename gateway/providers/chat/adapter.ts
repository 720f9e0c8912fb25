import type { Adapter } from '../adapter.ts';
import { ChatReader } from './reply-reader.ts';
import { chatWriter } from './request-body.ts';

/** The generic adapter: a provider that speaks chat completions. */
export const chatAdapter: Adapter = {
  path: '/chat/completions',
  writer: chatWriter,
  reader: (makeCallId, note) => new ChatReader(makeCallId, note),
};
