import type { BatchEndpoint } from '../../../actors/batch/batch-record.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';

/** The dialect of the bodies of each endpoint. (spec: inference, Batch) */
export const BATCH_DIALECTS: Readonly<Record<BatchEndpoint, Dialect>> = {
  '/v1/chat/completions': DIALECTS.chat,
  '/v1/responses': DIALECTS.responses,
  '/v1/messages': DIALECTS.messages,
};
