import type { Adapter } from '../adapter.ts';
import { STANDARD_LIST } from '../model-list.ts';
import { CompletionsReader } from './reply-reader.ts';
import { completionsWriter, leftOut } from './request-body.ts';

/** A server that continues a text, in the older form of OpenAI. */
export const completionsAdapter: Adapter = {
  address: () => '/completions',
  credential: 'bearer',
  models: STANDARD_LIST,
  takesBudget: false,
  continuesText: true,
  leftOut,
  writer: completionsWriter,
  reader: (makeCallId, note) => new CompletionsReader(makeCallId, note),
};
