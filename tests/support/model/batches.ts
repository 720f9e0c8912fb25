/** Complete events of batches for tests, with defaults for all but the essential members. */

import type { BatchBounds, NewBatch } from '../../../actors/batch/batch-state.ts';
import { failedOutcome, type NewLine, repliedOutcome } from '../../../actors/batch/line-record.ts';
import type { LineResult } from '../../../actors/batch/lines.ts';
import type { WrittenResults } from '../../../actors/batch/results.ts';
import { batchAddress, lineGenerationId } from '../../../actors/terms/ids.ts';
import { ACCOUNT, KEY, START, settlement } from './words.ts';

export const OWNER = ACCOUNT.slice('account:'.length);
export const BOUNDS: BatchBounds = {
  resultsBytesMax: 32 * 1024 * 1024,
  resultsLifetimeMs: 48 * 3_600_000,
  retentionMs: 30 * 24 * 3_600_000,
  lineMs: 660_000,
};

/** The id of the n-th batch: ids sort by their number. */
export function batchIdOf(nth: number): string {
  return `batch_${(START + nth).toString(16).padStart(12, '0')}${nth.toString(16).padStart(20, '0')}`;
}

export function addressOf({ id }: Pick<NewBatch, 'id'>): string {
  return batchAddress(OWNER, id);
}

export function newBatch(nth: number, lines: readonly NewLine[], more: Partial<NewBatch> = {}): NewBatch {
  return {
    ...{ id: batchIdOf(nth), account: OWNER, key: KEY, endpoint: '/v1/chat/completions', model: null },
    ...{ provider: null, attribution: { appTitle: null, appUrl: null }, windowMs: 24 * 3_600_000 },
    workspace: null,
    bodies: { id: `blob_${nth}`, bytes: 100 * lines.length, head: 'sealed' },
    lines,
    ...more,
  };
}

export function submitEvent(batch: NewBatch, bounds: BatchBounds = BOUNDS) {
  return { type: 'batch.submit', batch, bounds };
}

export function newLines(count: number): readonly NewLine[] {
  return Array.from({ length: count }, (_, index) => newLine(`line-${index}`, index));
}

export function newLine(customId: string, index: number): NewLine {
  return { customId, offset: 100 * index, length: 100 };
}

export function refusedLine(customId: string): NewLine {
  return {
    customId,
    refused: { type: 'invalid_request', code: 400, message: 'messages is required', param: null },
  };
}

export function lineDone(index: number, result: LineResult, attempt = 1) {
  return { type: 'line.done', id: String(index), attempt, result };
}

/** A reply of `bytes` with its charge. */
export function charged(batch: string, index: number, { cost = '0.5', bytes = 200, attempt = 1 } = {}): LineResult {
  const generation = lineGenerationId(batch, index);
  return {
    outcome: repliedOutcome(`line-${index}`, { statusCode: 200, body: { value: 'sealed' } }, bytes),
    settlement: settlement(generation, cost, attempt),
  };
}

export function failedLine(index = 0): LineResult {
  const error = { type: 'payment_required', code: 402, message: 'Insufficient credit', param: null } as const;
  return { outcome: failedOutcome(`line-${index}`, error, null), settlement: null };
}

export function writtenResults(nth = 1, lost = 0): WrittenResults {
  const id = `file_${(START + nth).toString(16).padStart(12, '0')}${'cd'.repeat(10)}`;
  return { id, blob: { id: `results_${nth}`, bytes: 10, head: 'sealed' }, lost };
}

export function resultsDone(nth = 1, lost = 0) {
  return { type: 'results.done', id: 'results', attempt: 1, result: writtenResults(nth, lost) };
}
