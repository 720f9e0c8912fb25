import type { BatchEndpoint } from '../../../actors/batch/batch-record.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';

const NAMES: Readonly<Record<BatchEndpoint, string>> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
};

/** The dialect of an endpoint's bodies; null where this build has no such route. (spec: inference, Batch) */
export function batchDialect(endpoint: BatchEndpoint): Dialect | null {
  const dialects: Readonly<Record<string, Dialect>> = DIALECTS;
  return dialects[NAMES[endpoint]] ?? null;
}
