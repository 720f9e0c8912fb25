import { Type } from 'typebox';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { textOf } from '../../edge/query/query-values.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { type ActivitySum, readActivity } from '../../management/activity.ts';
import type { ManagementServices } from '../../management/services.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Operations } from '../wire/operation.ts';
import { activityListSchema } from './credits.ts';

/** What the document says of the routes. */
export const ACTIVITY_OPERATIONS: Operations = {
  'GET /activity': {
    key: 'inference',
    summary: 'Charges and tokens by day, model and endpoint',
    description: 'Of the last 30 completed UTC days; a charge belongs to the day of its ledger entry.',
    answers: 'One row for each day, model and endpoint with a charge.',
    query: {
      date: Type.String({ format: 'date', description: 'One of these days.' }),
      api_key_hash: Type.String({ description: 'Only charges of the key with this public hash.' }),
      user_id: Type.String({ description: 'Only charges of keys that were assigned to this member.' }),
      workspace_id: Type.String({ description: 'Only charges of this workspace, by its id.' }),
      group_by: Type.Literal('workspace', { description: 'A row for each workspace.' }),
    },
    reply: { ActivityList: activityListSchema },
  },
};

/**
 * `GET /activity`: charges and tokens of the account by day, model and endpoint, over the last 30 completed UTC days.
 * The sums are the ledger's. (rule K52)
 */
export function activityRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/activity',
    policy: 'key',
    answer: (context) => showActivity(context, services),
  };
}

async function showActivity(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const query = parseActivityQuery(new URLSearchParams(context.query), services.cluster.now());
  const rows = await readActivity(services, ownerOf(callerOf(context).key), query);
  return jsonAnswer(renderExact({ data: rows.map(activityObject) }));
}

export function activityObject(sum: ActivitySum): object {
  return {
    date: new Date(sum.day).toISOString().slice(0, 10),
    model: sum.model,
    model_permaslug: sum.model,
    endpoint_id: sum.endpoint,
    provider_name: sum.provider,
    usage: exactNumber(sum.usage),
    byok_usage_inference: exactNumber('0'),
    requests: sum.requests,
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
    ...(sum.workspace === undefined ? {} : { workspace_id: sum.workspace }),
  };
}

const DAY_MS = 86_400_000;
/** Completed UTC days that the activity covers. (rule K52) */
const ACTIVITY_DAYS = 30;

interface ActivityQuery {
  /** Store times at which the wanted days began, newest first. */
  readonly days: readonly number[];
  /** Public hash of one key; null for all. */
  readonly keyHash: string | null;
  readonly user: string | null;
  readonly workspace: string | null;
  readonly isByWorkspace: boolean;
}

const KEY_HASH = /^[0-9a-f]{64}$/;
/** 1 to 96 visible ASCII characters. */
const ID = /^[\x21-\x7e]{1,96}$/;

/** Reads the query of `GET /activity` at a store time. Throws GatewayError 400 naming the parameter. */
export function parseActivityQuery(query: URLSearchParams, now: number): ActivityQuery {
  const date = textOf(query, 'date');
  const keyHash = textOf(query, 'api_key_hash');
  if (keyHash !== null && !KEY_HASH.test(keyHash)) throw invalid('api_key_hash must be 64 lower case hex digits');
  const groupBy = textOf(query, 'group_by');
  if (groupBy !== null && groupBy !== 'workspace') throw invalid('group_by must be workspace');
  const completed = completedDays(now);
  return {
    days: date === null ? completed : [dayOf(date, completed)],
    keyHash,
    user: idOf(query, 'user_id'),
    workspace: idOf(query, 'workspace_id'),
    isByWorkspace: groupBy !== null,
  };
}

/** The newest completed day first; today is not complete. */
function completedDays(now: number): readonly number[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: ACTIVITY_DAYS }, (_, past) => (today - 1 - past) * DAY_MS);
}

function dayOf(date: string, completed: readonly number[]): number {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  // Date.parse takes 31 February for a day of March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) throw invalid('date must be YYYY-MM-DD');
  if (!completed.includes(day)) throw invalid(`date must be one of the last ${ACTIVITY_DAYS} completed UTC days`);
  return day;
}

function idOf(query: URLSearchParams, name: string): string | null {
  const text = textOf(query, name);
  if (text !== null && !ID.test(text)) throw invalid(`${name} must have 1 to 96 visible ASCII characters`);
  return text;
}
