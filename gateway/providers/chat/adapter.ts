import type { Adapter } from '../adapter.ts';
import { STANDARD_LIST } from '../model-list.ts';
import { ChatReader } from './reply-reader.ts';
import { chatWriter, leftOut } from './request-body.ts';

/** The generic adapter: a provider that speaks chat completions. */
export const chatAdapter: Adapter = {
  address: () => '/chat/completions',
  credential: 'bearer',
  models: STANDARD_LIST,
  takesBudget: false,
  leftOut,
  writer: chatWriter,
  reader: (makeCallId, note, _asked, learnt) => new ChatReader(makeCallId, note, learnt),
};
