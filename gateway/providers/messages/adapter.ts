import type { Adapter } from '../adapter.ts';
import { nextBy } from '../model-list.ts';
import { MessagesReader } from './reply-reader.ts';
import { leftOut, messagesWriter } from './request-body.ts';

/** The version of the dialect that Troupe speaks. */
const VERSION = '2023-06-01';

/** A provider that natively speaks the messages dialect. */
export const messagesAdapter: Adapter = {
  address: () => '/messages',
  credential: 'x-api-key',
  headers: { 'anthropic-version': VERSION },
  models: {
    path: '/models',
    pages: {
      size: { limit: '1000' },
      next: ({ has_more, last_id }) => (has_more === true ? nextBy('after_id', last_id) : null),
    },
  },
  takesBudget: true,
  leftOut,
  writer: messagesWriter,
  reader: (makeCallId, note) => new MessagesReader(makeCallId, note),
};
