/**
 * The lines of a batch by their number. A line's row is there until the batch has ended; then its generation, whose id is
 * derived from batch and number, tells what became of it.
 */
import { Type } from 'typebox';
import type { BatchState } from '../../../actors/batch/batch-state.ts';
import type { LineRecord } from '../../../actors/batch/line-record.ts';
import type { Cluster, Inspection, RowReader } from '../../../actors/runtime/index.ts';
import { type Generation, HOLDS_PER_RUN_MAX } from '../../../actors/terms/hold.ts';
import { accountAddress, endpointAddress, fileAddress, lineGenerationId } from '../../../actors/terms/ids.ts';
import { isInvalid } from '../http/operator-route.ts';
import { pageOf, walked } from '../http/pages.ts';
import { costOf, stateOf } from '../lists/find-generations.ts';
import { columnsOf, factsOf, type KindCell, type KindTab, type KindTabView, type TabAsked } from './kind-tab.ts';

const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'not sent'] as const;
type LineStatus = (typeof STATUSES)[number];

const KEYSET = Type.Object({ index: Type.Integer({ minimum: 0 }) });
/** Lines of one read, and those that one page looks through for a status: as many as a batch has. */
const CHUNK = 200;
const WALKED_MAX = 1_000;

export const batchLines: KindTab = { name: 'Lines', read: linesOf };

const COLUMNS = {
  Line: 'number',
  'Custom id': 'text',
  Status: 'state',
  Generation: 'generation',
  Endpoint: 'actor',
  Run: 'number',
  Cost: 'usd',
  Failure: 'text',
} as const;

interface Line {
  readonly index: number;
  readonly customId: string | null;
  readonly status: LineStatus;
  readonly run: number | null;
  readonly generation: Generation | null;
  readonly failure: string | null;
}

async function linesOf({ rows }: Cluster, { context, address }: Inspection, asked: TabAsked): Promise<KindTabView> {
  const batch = context as unknown as BatchState;
  const { status } = asked;
  if (status !== undefined && !STATUSES.includes(status as LineStatus)) {
    throw isInvalid('status', `of a line is one of ${STATUSES.join(', ')}`);
  }
  const { limit, after } = pageOf(asked, KEYSET);
  const begin = after === null ? 0 : after.index + 1;
  const { lines, next } = await walk({ rows, address, batch }, { begin, limit, status });
  const page = walked(lines.map(cellsOf), next);
  const table = { title: 'Lines', empty: 'No line matches', columns: columnsOf(COLUMNS), statuses: [...STATUSES] };
  return { facts: factsOfBatch(batch), tables: [{ ...table, rows: [...page.data], next: page.next }] };
}

function factsOfBatch(batch: BatchState) {
  const { submitted, total, completed, failed, unsent, inFlight, resultsFileId, error } = batch;
  const account = submitted?.account ?? '';
  return factsOf([
    ['Lines', 'number', total],
    ['Completed', 'number', completed],
    ['Failed', 'number', failed],
    ['In flight', 'number', inFlight.length],
    ['Not sent yet', 'number', unsent],
    ['Account', 'actor', submitted && accountAddress(account)],
    ['Key', 'actor', submitted?.key],
    ['Dialect', 'text', submitted?.endpoint],
    ['Closes (UTC)', 'time', submitted?.expiresAt],
    ['Ended (UTC)', 'time', batch.finalizedAt],
    ['Results', 'actor', resultsFileId === null ? null : fileAddress(account, resultsFileId)],
    ['Why it failed', 'text', error?.message],
  ]);
}

interface Batch {
  readonly rows: RowReader;
  readonly address: string;
  readonly batch: BatchState;
}

interface Wanted {
  readonly begin: number;
  readonly limit: number;
  readonly status: string | undefined;
}

/** From a line on, at most `limit` with the status; `next` is null at the end. */
async function walk(of: Batch, { begin, limit, status }: Wanted) {
  const end = Math.min(of.batch.total, begin + WALKED_MAX);
  const chunk = Math.min(CHUNK, limit + 1);
  const lines: Line[] = [];
  for (let from = begin; from < end; from += chunk) {
    for (const line of await linesBetween(of, from, Math.min(end, from + chunk))) {
      if (status !== undefined && line.status !== status) continue;
      if (lines.length === limit) return { lines, next: { index: line.index - 1 } };
      lines.push(line);
    }
  }
  return { lines, next: end < of.batch.total ? { index: end - 1 } : null };
}

async function linesBetween({ rows, address, batch }: Batch, from: number, to: number): Promise<readonly Line[]> {
  const query = { collection: 'line', address, limit: to - from, after: { sort: from - 1, id: '\u{10ffff}' } };
  const stored = (await rows.rows(query)).map(({ body }) => JSON.parse(body) as LineRecord);
  const byIndex = new Map(stored.map((line) => [line.index, line]));
  const id = batch.submitted?.id ?? '';
  return Promise.all(
    Array.from({ length: to - from }, async (_, at): Promise<Line> => {
      const index = from + at;
      const row = await rows.rowById('generation', lineGenerationId(id, index));
      const generation = row === null ? null : (JSON.parse(row.body) as Generation);
      return lineOf(batch, index, { line: byIndex.get(index), generation });
    }),
  );
}

interface Known {
  readonly line: LineRecord | undefined;
  readonly generation: Generation | null;
}

function lineOf(batch: BatchState, index: number, { line, generation }: Known): Line {
  const slot = batch.inFlight.find((one) => one.index === index);
  const run = slot?.run ?? (generation === null ? null : runOf(generation));
  const same = { index, customId: line?.customId ?? null, run, generation };
  if (slot?.waits !== undefined) return { ...same, status: 'waiting', failure: slot.waits.why };
  if (slot !== undefined) return { ...same, status: 'running', failure: null };
  if (line === undefined) return { ...same, status: endOf(generation), failure: generation?.release?.reason ?? null };
  const { outcome } = line;
  if (outcome === null) return { ...same, status: batch.unsentAs === null ? 'queued' : 'not sent', failure: null };
  if ('reply' in outcome) return { ...same, status: 'completed', failure: null };
  return { ...same, status: 'failed', failure: `${outcome.error.type}: ${outcome.error.message}` };
}

/** The run whose hold it was. */
function runOf({ attempt }: Generation): number {
  return Math.floor((attempt - 1) / HOLDS_PER_RUN_MAX) + 1;
}

/** Of a line whose row is gone with its batch's end. */
function endOf(generation: Generation | null): LineStatus {
  return generation === null ? 'not sent' : stateOf(generation);
}

function cellsOf({ index, customId, status, run, generation, failure }: Line): KindCell[] {
  const cost = generation === null ? null : costOf(generation);
  const endpoint = generation === null ? null : endpointAddress(generation.endpoint);
  return [index, customId, status, generation?.generation ?? null, endpoint, run, cost, failure];
}
