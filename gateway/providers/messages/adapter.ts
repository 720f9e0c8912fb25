import type { Adapter } from '../adapter.ts';
import { MessagesReader } from './reply-reader.ts';
import { messagesWriter } from './request-body.ts';

/** The version of the dialect that these files speak. */
const VERSION = '2023-06-01';

/** A provider that natively speaks the messages dialect. */
export const messagesAdapter: Adapter = {
  path: '/messages',
  credentials: (apiKey) => ['anthropic-version', VERSION, ...(apiKey === null ? [] : ['x-api-key', apiKey])],
  writer: messagesWriter,
  reader: (makeCallId) => new MessagesReader(makeCallId),
};
