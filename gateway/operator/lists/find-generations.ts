/** Generations over all accounts: the most selective column leads, and what it does not decide is left out on the way. */
import {
  DEAR_USD,
  GENERATION_MODEL,
  GENERATION_OUTCOME,
  GENERATION_OUTCOMES,
  GENERATION_SESSION,
} from '../../../actors/account/generation.ts';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import { type Cluster, ownerOf, type RowRecord } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { type ListStream, type ListWalk, walk } from './walk.ts';

/** In words of a request: it runs, was answered, ended without a charge, or was charged until its client left. */
export const GENERATION_STATES = ['running', 'completed', 'failed', 'cancelled'] as const;
type GenerationState = (typeof GENERATION_STATES)[number];

export interface GenerationFilter {
  /** Addresses. */
  readonly account?: string | undefined;
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly session?: string | undefined;
  readonly status?: GenerationState | undefined;
  /** Exact decimal USD, inclusive. */
  readonly minCost?: string | undefined;
  readonly maxCost?: string | undefined;
  /** Of the time at which the money was held: inclusive and exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface FoundGeneration {
  /** Address. */
  readonly account: string;
  readonly row: Generation;
}

/** Those that run for a job are found by account, key, model and session; without any of these, once they have ended. */
export async function findGenerations(
  cluster: Pick<Cluster, 'rows' | 'operator' | 'board'>,
  filter: GenerationFilter,
  { limit, after }: Pick<ListWalk, 'limit' | 'after'>,
) {
  const { from, to } = filter;
  const start = after ?? (to === undefined ? null : { sort: to, id: '' });
  const found = await walk(cluster.rows, {
    streams: await streamsOf(cluster, filter),
    after: start,
    limit,
    keeps: (row) => fits(foundIn(row), filter),
    ...(from === undefined ? {} : { from }),
  });
  return { found: found.rows.map(foundIn), next: found.next };
}

function foundIn({ address, body }: RowRecord): FoundGeneration {
  return { account: address, row: JSON.parse(body) as Generation };
}

export function stateOf({ status, settlement }: Generation): GenerationState {
  if (status === 'running') return 'running';
  if (settlement === null) return 'failed';
  return settlement.cancelled ? 'cancelled' : 'completed';
}

/** The charge; null while it runs, 0 for one that ended without. */
export function costOf({ status, settlement }: Generation): string | null {
  return status === 'running' ? null : (settlement?.cost ?? '0');
}

function fits({ account, row }: FoundGeneration, filter: GenerationFilter): boolean {
  const { minCost, maxCost } = filter;
  const cost = costOf(row);
  const named = [
    [filter.account, account],
    [filter.key, row.key],
    [filter.model, row.model],
    [filter.endpoint, row.endpoint],
    [filter.session, row.sessionId],
    [filter.status, stateOf(row)],
  ] as const;
  return (
    named.every(([wanted, has]) => wanted === undefined || wanted === has) &&
    (minCost === undefined || (cost !== null && compare(cost, minCost) >= 0)) &&
    (maxCost === undefined || (cost !== null && compare(cost, maxCost) <= 0))
  );
}

const GENERATION = 'generation';

const column = (at: 0 | 1 | 2 | 3, equals: string): ListStream => ({
  collection: GENERATION,
  where: { column: at, equals },
});

/** Streams that have everything which fits, and as little else as the columns allow. */
async function streamsOf(
  cluster: Pick<Cluster, 'operator' | 'board'>,
  filter: GenerationFilter,
): Promise<readonly ListStream[]> {
  const { account, key, session, status, endpoint } = filter;
  if (session !== undefined) return [column(GENERATION_SESSION, session)];
  const owner = account ?? (key === undefined ? undefined : accountAddress(ownerOf(key)));
  if (owner !== undefined) return [{ collection: GENERATION, address: owner }];
  if (status === 'running') return runningAtNodes(cluster);
  const outcomes = outcomesOf(filter);
  const model = filter.model ?? (endpoint === undefined ? undefined : modelOf(cluster, endpoint));
  if (model !== undefined && outcomes.includes('settled')) return [column(GENERATION_MODEL, model)];
  return outcomes.map((outcome) => column(GENERATION_OUTCOME, outcome));
}

/** Only the ends that a wanted state and a least cost allow. */
function outcomesOf({ status, minCost }: GenerationFilter): readonly string[] {
  if (status === 'failed') return ['released'];
  if (minCost !== undefined && compare(minCost, DEAR_USD) >= 0) return ['dear'];
  if (status === 'cancelled') return ['cancelled', 'dear'];
  if (status === 'completed') return ['settled', 'dear'];
  return GENERATION_OUTCOMES;
}

/** An endpoint serves one model for ever. Undefined: this node does not list the endpoint. */
function modelOf({ board }: Pick<Cluster, 'board'>, endpoint: string): string | undefined {
  return (board.topic(ENDPOINTS_TOPIC).get(endpoint) as unknown as Endpoint | undefined)?.model;
}

async function runningAtNodes({ operator }: Pick<Cluster, 'operator'>): Promise<readonly ListStream[]> {
  const { nodes } = await operator.ps();
  return nodes.map(({ incarnation }) => column(GENERATION_OUTCOME, incarnation));
}
