import { type TSchema, Type } from '@sinclair/typebox';
import { BATCH_STATUSES } from '../../../../actors/batch/batch-record.ts';
import { oneOf } from '../../../dialects/request/members.ts';
import { CATALOGUE_OPERATIONS } from '../catalogue/catalogue-operations.ts';
import { MANAGEMENT_OPERATIONS } from '../keys/key-operations.ts';
import { PROVIDER_OPERATIONS } from '../provider/provider-operations.ts';
import type { Operation, Parameter } from './operation.ts';

const text = Type.String();
const value = (name: string, schema: TSchema = text): Parameter => ({ name, schema });

const instant = 'Unix seconds, a date, or an ISO 8601 instant; exclusive.';
const batchFilters: readonly Parameter[] = [
  { name: 'status', schema: Type.Array(oneOf(...BATCH_STATUSES)), description: 'Repeatable; one must match.' },
  { name: 'created_after', schema: text, description: instant },
  { name: 'created_before', schema: text, description: instant },
  value('limit', Type.Integer({ minimum: 1, maximum: 100 })),
  { name: 'after', schema: text, description: '`last_id` of the previous page.' },
];

/** Headers of a submission that creates a job of its own. */
function submissionHeaders(what: string): readonly Parameter[] {
  return [
    { name: 'X-Vendor-Title', schema: text },
    { name: 'X-Title', schema: text, description: `Attributes every request of the ${what}, as HTTP-Referer does.` },
    { name: 'HTTP-Referer', schema: text },
    {
      name: 'Idempotency-Key',
      schema: Type.String({ minLength: 1, maxLength: 255 }),
      description: `A repeat within 24 hours answers the recorded ${what}, or 422 to another body.`,
    },
  ];
}

const clipRead = {
  query: [value('index', Type.Integer({ minimum: 0 }))],
  headers: [
    { name: 'Range', schema: text, description: 'One range: `bytes=first-last`, `bytes=first-` or `bytes=-count`.' },
  ],
  bytes: true,
} as const;

/**
 * Every route of the public API, in the order of the document. A test fails for a registered route without a row here.
 */
export const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/', summary: 'Liveness of the service', key: false, reply: 'Alive' },
  { method: 'head', path: '/', summary: 'The headers of that answer', key: false, reply: 'Alive' },
  {
    method: 'get',
    path: '/ready',
    summary: 'Whether the node accepts requests; 503 names why not',
    key: false,
    reply: 'Ready',
  },
  { method: 'get', path: '/openapi.json', summary: 'This document', key: false, reply: 'AnyDocument' },
  {
    method: 'post',
    path: '/chat/completions',
    summary: 'Answers a conversation',
    key: true,
    body: 'ChatRequest',
    reply: 'ChatReply',
    frame: 'ChatChunk',
    inference: true,
  },
  {
    method: 'post',
    path: '/completions',
    summary: 'Continues a text',
    key: true,
    body: 'CompletionRequest',
    reply: 'CompletionReply',
    frame: 'CompletionReply',
    inference: true,
  },
  {
    method: 'post',
    path: '/messages',
    summary: 'Answers a conversation in the messages dialect; a stream refused before it opens answers MessagesError',
    key: true,
    body: 'MessagesRequest',
    reply: 'MessagesReply',
    frame: 'MessagesEvent',
    failure: 'MessagesError',
    headers: ['anthropic-version', 'anthropic-beta'].map((name) => ({
      name,
      schema: text,
      description: 'Accepted without effect.',
    })),
    inference: true,
  },
  {
    method: 'post',
    path: '/messages/count_tokens',
    summary: 'Estimates the tokens of a prompt',
    key: true,
    body: 'TokenCountRequest',
    reply: 'TokenCount',
  },
  {
    method: 'post',
    path: '/responses',
    summary: 'Answers a conversation of items',
    key: true,
    body: 'ResponsesRequest',
    reply: 'ResponsesReply',
    frame: 'ResponsesEvent',
    inference: true,
  },
  {
    method: 'get',
    path: '/responses',
    summary: 'A WebSocket of turns: response.create and response.cancel in, the events of a stream out',
    key: true,
    frame: 'ResponsesEvent',
    status: 101,
  },
  {
    method: 'get',
    path: '/generation',
    summary: 'One generation of this account',
    key: true,
    query: [{ name: 'id', schema: text, required: true }],
    reply: 'Generation',
  },
  { method: 'post', path: '/files', summary: 'Stores a file', key: true, form: 'FileForm', reply: 'File' },
  {
    method: 'get',
    path: '/files',
    summary: 'The stored files of this account, by age',
    key: true,
    query: [
      value('limit', Type.Integer({ minimum: 1, maximum: 1_000 })),
      value('after'),
      value('order'),
      value('purpose'),
    ],
    reply: 'FileList',
  },
  { method: 'get', path: '/files/{id}', summary: 'One stored file', key: true, reply: 'File' },
  { method: 'delete', path: '/files/{id}', summary: 'Deletes a stored file', key: true, reply: 'FileDeleted' },
  { method: 'get', path: '/files/{id}/content', summary: 'The bytes of a file, or a range', key: true, bytes: true },
  {
    method: 'get',
    path: '/events',
    summary: 'Changes of the account as they become durable, as server-sent events',
    key: true,
    query: [value('types'), value('ids'), value('cursor')],
    bytes: true,
  },
  {
    method: 'post',
    path: '/batches',
    summary: 'Submits a batch of up to 1,000 requests',
    key: true,
    headers: submissionHeaders('batch'),
    body: 'BatchSubmission',
    reply: 'Batch',
    status: 202,
  },
  {
    method: 'get',
    path: '/batches',
    summary: 'The batches of this account, newest first',
    key: true,
    query: batchFilters,
    reply: 'BatchList',
  },
  { method: 'get', path: '/batches/{id}', summary: 'One batch, with its results', key: true, reply: 'Batch' },
  { method: 'post', path: '/batches/{id}/cancel', summary: 'Cancels a batch', key: true, reply: 'Batch' },
  {
    method: 'get',
    path: '/webhooks/secret',
    summary: 'The secret that signs the webhooks of this account',
    key: true,
    reply: 'WebhookSecret',
  },
  {
    method: 'post',
    path: '/webhooks/secret/rotate',
    summary: 'Mints a new secret; the previous one signs beside it for a day',
    key: true,
    reply: 'WebhookSecret',
  },
  {
    method: 'get',
    path: '/webhooks/deliveries',
    summary: 'The webhooks of this account with their attempts, newest first',
    key: true,
    query: [
      value('limit', Type.Integer({ minimum: 1, maximum: 100 })),
      { name: 'after', schema: text, description: '`last_id` of the previous page.' },
    ],
    reply: 'WebhookDeliveryList',
  },
  {
    method: 'post',
    path: '/auth/keys',
    summary: 'Trades the one-time code of a browser approval for its key',
    key: false,
    body: 'CodeTrade',
    reply: 'IssuedKey',
  },
  {
    method: 'post',
    path: '/webhooks/deliveries/{id}/retry',
    summary: 'Begins the next attempt of a waiting webhook now',
    key: true,
    reply: 'WebhookDelivery',
  },
  { method: 'get', path: '/key', summary: 'Limits and usage of the key that was sent', key: true, reply: 'OwnKey' },
  ...MANAGEMENT_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  {
    method: 'get',
    path: '/audit',
    summary: 'The audit log of this account, newest first; needs a management key',
    key: true,
    query: [
      value('limit', Type.Integer({ minimum: 1, maximum: 100 })),
      { name: 'after', schema: text, description: '`last_id` of the previous page.' },
      { name: 'action', schema: text, description: 'Such as `key.revoke`; not together with `target`.' },
      { name: 'target', schema: text, description: 'What was changed, as its entries name it.' },
      { name: 'verify', schema: Type.Boolean(), description: 'true: checks the chain of the newest 10,000 entries.' },
    ],
    reply: 'AuditList',
  },
  { method: 'get', path: '/credits', summary: 'Deposits and spend of the account', key: true, reply: 'Credits' },
  {
    method: 'post',
    path: '/credits/notice',
    summary: 'Sets the balance below which the feed has the event balance.low; with a management key',
    key: true,
    body: 'LowBalanceNotice',
    reply: 'LowBalanceSet',
  },
  {
    method: 'post',
    path: '/credits/coinbase',
    summary: 'Retired: always 410, the one error without `error_type`',
    key: false,
    reply: 'Retired',
    status: 410,
  },
  {
    method: 'get',
    path: '/deposits/rails',
    summary: 'The ways to pay, with their bounds',
    key: true,
    reply: 'DepositRails',
  },
  {
    method: 'get',
    path: '/deposits',
    summary: 'The deposits of this account, newest first, and payments on their way',
    key: true,
    query: [
      value('limit', Type.Integer({ minimum: 1, maximum: 100 })),
      { name: 'after', schema: text, description: '`last_id` of the previous page.' },
    ],
    reply: 'DepositList',
  },
  { method: 'get', path: '/deposits/{id}', summary: 'One deposit', key: true, reply: 'Deposit' },
  {
    method: 'post',
    path: '/deposits/x402',
    summary: 'Pays with a stable coin (x402): 402 names what to sign; 202 while the outcome is not known yet',
    key: true,
    query: [{ name: 'amount', schema: text, required: true, description: 'USD, a decimal number.' }],
    headers: [{ name: 'PAYMENT-SIGNATURE', schema: text, description: 'The signed payment, base64 of its JSON.' }],
    reply: 'PaymentResult',
  },
  {
    method: 'get',
    path: '/activity',
    summary: 'Charges and tokens by day, model and endpoint over the last 30 completed UTC days',
    key: true,
    query: [
      { name: 'date', schema: Type.String({ format: 'date' }), description: 'One of these days.' },
      { name: 'api_key_hash', schema: text, description: 'The public hash of one key.' },
      value('user_id'),
      value('workspace_id'),
      { name: 'group_by', schema: Type.Literal('workspace'), description: 'A row for each workspace.' },
    ],
    reply: 'ActivityList',
  },
  {
    method: 'get',
    path: '/statements',
    summary: 'The months of the account, newest first',
    key: true,
    reply: 'StatementList',
  },
  {
    method: 'get',
    path: '/statements/{month}',
    summary: 'The ledger of one UTC month (`YYYY-MM`) as CSV, between its opening and closing balance',
    key: true,
    bytes: true,
  },
  ...CATALOGUE_OPERATIONS,
  {
    method: 'post',
    path: '/videos',
    summary: 'Submits a video job; its clip is rendered in the background',
    key: true,
    headers: submissionHeaders('job'),
    body: 'VideoRequest',
    reply: 'VideoAccepted',
    status: 202,
  },
  {
    method: 'get',
    path: '/videos/models',
    summary: 'The models that render videos, with what each accepts and costs',
    key: true,
    reply: 'VideoModelList',
  },
  {
    method: 'get',
    path: '/videos',
    summary: 'The video jobs of this account, newest first',
    key: true,
    query: [value('limit', Type.Integer({ minimum: 1, maximum: 100 })), value('after')],
    reply: 'VideoJobList',
  },
  { method: 'get', path: '/videos/{id}', summary: 'One video job', key: true, reply: 'VideoJob' },
  {
    method: 'get',
    path: '/videos/{id}/content',
    summary: 'The bytes of one clip, whole or one range of them',
    key: true,
    ...clipRead,
  },
  {
    method: 'head',
    path: '/videos/{id}/content',
    summary: 'The length of one clip; no delivery',
    key: true,
    ...clipRead,
  },
  { method: 'post', path: '/videos/{id}/cancel', summary: 'Cancels a video job', key: true, reply: 'VideoJob' },
];
