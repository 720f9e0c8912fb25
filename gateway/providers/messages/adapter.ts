import type { Adapter } from '../adapter.ts';
import { MessagesReader } from './reply-reader.ts';
import { messagesWriter } from './request-body.ts';

/** A provider that natively speaks the messages dialect. */
export const messagesAdapter: Adapter = {
  path: '/messages',
  writer: messagesWriter,
  reader: (makeCallId, note) => new MessagesReader(makeCallId, note),
};
