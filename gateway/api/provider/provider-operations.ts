import { Type } from 'typebox';
import { described, oneOf } from '../../dialects/request/members.ts';
import type { Named, Operations } from '../wire/operation.ts';
import { PROVIDER_SCHEMAS } from './provider-schema.ts';

const day = (description: string) => Type.String({ format: 'date', description });
const named = (name: keyof typeof PROVIDER_SCHEMAS): Named => ({ [name]: PROVIDER_SCHEMAS[name] });

/** The routes of a provider's account, as the published document shows them. */
export const PROVIDER_OPERATIONS: Operations = {
  'GET /provider': {
    key: 'provider',
    summary: 'The provider that the account belongs to',
    description: 'What the catalogue shows of it, with its numbers of models and endpoints.',
    answers: 'What the provider declares of itself.',
    reply: named('OwnProvider'),
  },
  'GET /provider/serving': {
    key: 'provider',
    summary: "The provider's endpoints: state, prices, last day",
    description: 'Also what checks refuted of their declarations.',
    answers: 'Every endpoint of the provider.',
    reply: named('Serving'),
  },
  'GET /provider/measurements': {
    key: 'provider',
    summary: "The provider's measured figures, errors by cause",
    description: 'The figures that the catalogue shows, and the attempts behind them.',
    answers: 'Every endpoint of the provider with its figures.',
    query: {
      endpoint_id: Type.String({ description: 'Only the endpoint with this id.' }),
      window: described(oneOf('5m', '30m', '1d', '7d'), 'Only figures of this window.'),
    },
    reply: named('Measurements'),
  },
  'POST /provider/capacity': {
    key: 'provider',
    summary: 'Reports slots of an endpoint',
    description: 'A report counts for a minute; the one with the latest time wins.',
    answers: 'The newest report of the endpoint.',
    body: named('CapacityReport'),
    reply: named('Capacity'),
  },
  'GET /provider/earnings': {
    key: 'provider',
    summary: "The provider's earnings, by UTC day and endpoint",
    description: 'Gross, the fee of the marketplace, and net.',
    answers: 'One row for each day and endpoint with charges, and their sum.',
    query: { from: day('First day; absent: 29 days before `to`.'), to: day('Last day; absent: today.') },
    reply: named('Earnings'),
  },
  'GET /provider/models-document': {
    key: 'provider',
    summary: 'Progress and history of the readings of the models document',
    description: 'What each of the newest 20 readings declared or refused, with its faults.',
    answers: 'The state of the models document.',
    reply: named('ModelsDocumentState'),
  },
  'POST /provider/models-document/refresh': {
    key: 'provider',
    summary: 'Reads the models document now',
    description: 'Joins a reading that runs already.',
    answers: 'The reading is queued or runs.',
    reply: named('ModelsDocumentRefresh'),
    status: 202,
  },
  'GET /provider/statements': {
    key: 'provider',
    summary: 'The months with a statement, newest first',
    description: 'The running month is listed too, until it has ended.',
    answers: 'Every month with charges.',
    reply: named('ProviderStatementList'),
  },
  'GET /provider/statements/{month}': {
    key: 'provider',
    summary: 'The earnings of one month, as JSON or CSV',
    description: 'In sums, by model, by endpoint and by day.',
    answers: 'The month in sums, by model, endpoint and day.',
    path: { month: 'UTC month, YYYY-MM.' },
    query: { format: described(oneOf('json', 'csv'), 'json, the default, or csv.') },
    reply: named('ProviderStatement'),
  },
};
