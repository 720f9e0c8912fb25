import type { Adapter } from '../adapter.ts';
import { STANDARD_LIST } from '../model-list.ts';
import { ResponsesReader } from './reply-reader.ts';
import { leftOut, responsesWriter } from './request-body.ts';

/** A provider that speaks responses: OpenAI, xAI, Azure, and servers in their form. Nothing is stored there. */
export const responsesAdapter: Adapter = {
  address: () => '/responses',
  credential: 'bearer',
  models: STANDARD_LIST,
  takesBudget: false,
  leftOut,
  writer: responsesWriter,
  reader: (makeCallId, note, _asked, _learnt, provider) => new ResponsesReader(makeCallId, note, provider),
};
