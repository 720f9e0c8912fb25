/** What `troupe sql` shows of the marketplace's rows. No view has a secret or the content of a request. */
import type { RowsView, ViewColumn } from '../../../actors/runtime/index.ts';

const of =
  (type: ViewColumn['type']) =>
  (name: string, ...body: string[]): ViewColumn => ({ name, type, value: { body } });
const text = of('text');
const integer = of('integer');
const decimal = of('decimal');
const time = of('time');
const ACCOUNT: ViewColumn = { name: 'account', type: 'text', value: { row: 'address' } };

export const SQL_VIEWS: readonly RowsView[] = [
  {
    name: 'generations',
    collection: 'generation',
    columns: [
      { name: 'id', type: 'text', value: { row: 'id' } },
      ACCOUNT,
      text('key', 'key'),
      text('status', 'status'),
      text('model', 'model'),
      text('provider', 'provider'),
      text('endpoint', 'endpoint'),
      time('created_at', 'createdAt'),
      time('ended_at', 'endedAt'),
      decimal('held', 'amount'),
      decimal('cost', 'settlement', 'cost'),
      integer('prompt_tokens', 'settlement', 'promptTokens'),
      integer('completion_tokens', 'settlement', 'completionTokens'),
      integer('latency_ms', 'settlement', 'latencyMs'),
      integer('generation_ms', 'settlement', 'generationMs'),
      text('finish_reason', 'settlement', 'finishReason'),
      text('release_reason', 'release', 'reason'),
      text('session', 'sessionId'),
    ],
  },
  {
    name: 'holds',
    collection: 'generation',
    isOpen: true,
    columns: [
      { name: 'generation', type: 'text', value: { row: 'id' } },
      ACCOUNT,
      text('key', 'key'),
      text('model', 'model'),
      text('endpoint', 'endpoint'),
      text('gateway', 'gateway'),
      decimal('amount', 'amount'),
      time('created_at', 'createdAt'),
      time('deadline_at', 'deadlineAt'),
    ],
  },
  {
    name: 'ledger',
    collection: 'ledger',
    columns: [
      ACCOUNT,
      integer('sequence', 'sequence'),
      text('type', 'type'),
      text('from_side', 'from'),
      text('to_side', 'to'),
      decimal('amount', 'amount'),
      decimal('balance', 'balance'),
      time('at', 'at'),
      text('ref', 'ref'),
      text('key', 'key'),
    ],
  },
  {
    name: 'ledger_openings',
    collection: 'ledger-opening',
    columns: [
      ACCOUNT,
      text('month', 'month'),
      integer('sequence', 'sequence'),
      decimal('balance', 'balance'),
      decimal('deposits', 'deposits'),
      decimal('charges', 'charges'),
      decimal('adjustments', 'adjustments'),
    ],
  },
];
