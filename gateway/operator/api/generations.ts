import { Type } from 'typebox';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { parseUsd } from '../../../actors/terms/usd.ts';
import { JSON_TYPE } from '../../http/write-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import { renderGeneration } from '../../management/generation-record.ts';
import { requireGeneration } from '../../management/generations.ts';
import { refund, requireCharge } from '../../management/refund.ts';
import { change, quoted } from '../http/change.ts';
import { isInvalid, type OperatorRoute, operatorRoute, PortAnswer } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import {
  costOf,
  type FoundGeneration,
  findGenerations,
  GENERATION_STATES,
  type GenerationFilter,
  stateOf,
} from '../lists/find-generations.ts';
import { accountNamed, keyNamed } from '../lists/named.ts';
import { spanOf } from '../lists/times.ts';
import { PLACE } from '../lists/walk.ts';
import { ActorNames } from '../names.ts';
import { timelineOf } from '../timeline/timeline.ts';
import { ASK_MS } from './account/managing.ts';

const FILTER = {
  account: Type.Optional(Type.String({ description: 'id, address or whole name of an account' })),
  key: Type.Optional(Type.String({ description: 'id or address of a key' })),
  model: Type.Optional(Type.String({ description: 'id of the model that served' })),
  endpoint: Type.Optional(Type.String({ description: 'id of the endpoint that served' })),
  status: Type.Optional(Type.Enum(GENERATION_STATES)),
  day: Type.Optional(Type.String({ description: 'UTC day, `YYYY-MM-DD`' })),
  from: Type.Optional(Type.String({ description: 'held at this time or later; ms, or ISO 8601' })),
  to: Type.Optional(Type.String({ description: 'held before this time' })),
  minCost: Type.Optional(Type.String({ description: 'charged this much or more, USD' })),
  maxCost: Type.Optional(Type.String({ description: 'charged this much or less, USD' })),
  session: Type.Optional(Type.String({ description: '`session_id` of the requests' })),
};

export const generationRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/generations',
    policy: 'viewer',
    summary: 'Requests, lines of batches and renders of all accounts that were charged or ended without, newest first.',
    query: listQuery(FILTER),
    answers: listOf(Type.Object({}, { description: 'one generation' })),
    answer: async ({ cluster, query }) => {
      const { limit, after } = pageOf(query, PLACE);
      const { found, next } = await findGenerations(cluster, await filterOf(cluster, query), { limit, after });
      const names = new ActorNames(cluster.rows);
      return walked(await Promise.all(found.map((one) => entryOf(one, names))), next);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/generations/:id',
    policy: 'viewer',
    summary: 'The record of one generation of any account: route, attempts, hold, charge, with every digit.',
    answer: async ({ cluster, params: { id } }) => {
      const { account, generation } = await requireGeneration({ cluster }, null, id);
      const body = renderExact({ account: ownerOf(account), ...renderGeneration(id, generation) });
      return new PortAnswer({ type: JSON_TYPE, body });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/generations/:id/timeline',
    policy: 'viewer',
    summary: 'One request on a time line over all actors that it touched, and what its charge was made of.',
    answer: async ({ cluster, params: { id } }) => timelineOf(cluster, await requireGeneration({ cluster }, null, id)),
  }),
  change({
    path: '/api/generations/:id/refund',
    summary: 'Give back the charge of a generation, once.',
    answers: { account: Type.String(), made: Type.Object({}, { description: 'what was recorded' }) },
    plan: async ({ cluster, params: { id }, body: { reason }, principal }) => {
      const { account, cost } = await requireCharge({ cluster }, id);
      return {
        would: `give ${cost} USD back to ${account}: the whole charge of ${id}, once`,
        command: `troupe accounts refund ${quoted(id)} --reason ${quoted(reason)}`,
        audit: null,
        run: async () => {
          const { made } = await refund({ cluster, askMs: ASK_MS }, id, { reason, by: principal });
          const before = made.repeated ? ' before' : '';
          return {
            did: `gave ${made.amount} USD back to ${account}${before}; its balance was ${made.balance} USD then`,
            account,
            made,
          };
        },
      };
    },
  }),
];

interface FilterQuery extends Omit<GenerationFilter, 'from' | 'to'> {
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
}

async function filterOf({ rows }: Cluster, query: FilterQuery): Promise<GenerationFilter> {
  const { account, key, model, endpoint, status, session, minCost, maxCost } = query;
  return {
    account: account === undefined ? undefined : await accountNamed(rows, account),
    key: key === undefined ? undefined : await keyNamed(rows, key),
    minCost: amountOf(minCost, 'minCost'),
    maxCost: amountOf(maxCost, 'maxCost'),
    model,
    endpoint,
    status,
    session,
    ...spanOf(query),
  };
}

function amountOf(text: string | undefined, member: string): string | undefined {
  const amount = text === undefined ? undefined : parseUsd(text);
  if (amount === null) throw isInvalid(member, 'must be an amount in USD, such as 0.25');
  return amount;
}

/** One generation of a list. */
export type ListedGeneration = Awaited<ReturnType<typeof entryOf>>;

async function entryOf({ account, row }: FoundGeneration, names: ActorNames) {
  const { generation, key, model, endpoint, provider, createdAt, endedAt, sessionId, settlement, release } = row;
  const [accountName, keyName] = await Promise.all([names.of(account), names.of(key)]);
  return {
    id: generation,
    at: createdAt,
    endedAt,
    status: stateOf(row),
    account,
    accountName,
    key,
    keyName,
    model,
    endpoint,
    provider,
    session: sessionId,
    promptTokens: settlement?.promptTokens ?? null,
    completionTokens: settlement?.completionTokens ?? null,
    cost: costOf(row),
    /** Why it ended without a charge. */
    failure: release === null ? null : { status: release.status ?? null, reason: release.reason },
  };
}
