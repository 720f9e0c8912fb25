import { type TSchema, Type } from '@sinclair/typebox';
import type { Operation, Parameter } from './operation.ts';

const text = Type.String();
const list = (name: string): Parameter => ({ name, schema: text, description: 'Separated by commas; all must match.' });
const value = (name: string, schema: TSchema = text): Parameter => ({ name, schema });

const modelFilters: readonly Parameter[] = [
  value('q'),
  list('supported_parameters'),
  list('input_modalities'),
  list('output_modalities'),
  value('context', Type.Integer({ minimum: 0 })),
  { name: 'model_authors', schema: text, description: 'Separated by commas; one must match.' },
  { name: 'zdr', schema: Type.Boolean(), description: 'true: models with an endpoint vetted for zero data retention.' },
  value('sort'),
  value('limit', Type.Integer({ minimum: 1 })),
  value('offset', Type.Integer({ minimum: 0 })),
];

/**
 * Every route of the public API, in the order of the document. A test fails for a registered route without a row here.
 */
export const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/', summary: 'Liveness of the service', key: false },
  { method: 'get', path: '/openapi.json', summary: 'This document', key: false },
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
    path: '/generation',
    summary: 'One generation of this account',
    key: true,
    query: [{ name: 'id', schema: text, required: true }],
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
  { method: 'get', path: '/key', summary: 'Limits and usage of the key that was sent', key: true },
  { method: 'get', path: '/credits', summary: 'Deposits and spend of the account', key: true },
  { method: 'get', path: '/models', summary: 'The served models, filtered', key: false, query: modelFilters },
  { method: 'get', path: '/models/count', summary: 'Number of served models', key: false },
  { method: 'get', path: '/models/document.schema.json', summary: 'The schema of a models document', key: false },
  { method: 'get', path: '/models/user', summary: 'The models this key may use', key: true },
  {
    method: 'get',
    path: '/models/{id}',
    summary: 'One model by its escaped id, without the `data` envelope',
    key: false,
  },
  { method: 'get', path: '/models/{author}/{slug}', summary: 'One model', key: false },
  { method: 'get', path: '/model/{author}/{slug}', summary: 'One model', key: false },
  { method: 'get', path: '/models/{author}/{slug}/endpoints', summary: 'The endpoints of one model', key: false },
];
