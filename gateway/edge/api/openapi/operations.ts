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

/** Every route of the public API, in the order of the document. A test finds a route that is registered without a row. */
export const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/', summary: 'Whether the service is there', key: false },
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
    summary: 'Goes on from a text',
    key: true,
    body: 'CompletionRequest',
    reply: 'CompletionReply',
    frame: 'CompletionReply',
    inference: true,
  },
  {
    method: 'get',
    path: '/generation',
    summary: 'What became of one generation of this account',
    key: true,
    query: [{ name: 'id', schema: text, required: true }],
  },
  { method: 'get', path: '/key', summary: 'What the presented key may spend and has spent', key: true },
  { method: 'get', path: '/credits', summary: 'What the account has deposited and spent', key: true },
  { method: 'get', path: '/models', summary: 'The models that are served', key: false, query: modelFilters },
  { method: 'get', path: '/models/count', summary: 'How many models are served', key: false },
  { method: 'get', path: '/models/document.schema.json', summary: 'The schema of a models document', key: false },
  { method: 'get', path: '/models/user', summary: 'The models this key may use', key: true },
  { method: 'get', path: '/models/{id}', summary: 'One model by its escaped id, bare', key: false },
  { method: 'get', path: '/models/{author}/{slug}', summary: 'One model', key: false },
  { method: 'get', path: '/model/{author}/{slug}', summary: 'One model', key: false },
  { method: 'get', path: '/models/{author}/{slug}/endpoints', summary: 'The endpoints of one model', key: false },
];
