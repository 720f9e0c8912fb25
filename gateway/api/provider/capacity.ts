import { type Static, Type } from 'typebox';
import { reportCapacity } from '../../../actors/endpoint/endpoint.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { CAPACITY_MS } from '../../../actors/terms/endpoint.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, named, objectOf } from '../../dialects/request/members.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { checker } from '../../management/input.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { NO_SUCH_ENDPOINT, ownEndpoint } from './own-endpoints.ts';
import type { ProviderParts } from './provider-parts.ts';

/** More slots than any endpoint has. */
const SLOTS_MAX = 1_000_000;
/** A report may be stamped by a clock that is this much ahead. */
const AHEAD_MS_MAX = 5_000;

/** The body of a report. */
export const capacityReportSchema = Type.Object({
  endpoint_id: described(named(LABEL_CHARACTERS_MAX), 'Id of the endpoint, as GET /provider/serving lists it.'),
  current: Type.Integer({ minimum: 0, maximum: SLOTS_MAX, description: 'Requests that the endpoint serves now.' }),
  total: Type.Integer({ minimum: 0, maximum: SLOTS_MAX, description: 'Requests that the endpoint can serve at once.' }),
  updated_at: maybe(Type.Number({ minimum: 0 }), 'When the slots were counted, Unix seconds; absent: now.'),
});

/** The newest report of an endpoint. */
export const capacityReplySchema = Type.Object({
  data: objectOf('The newest report of the endpoint.', {
    endpoint_id: Type.String({ description: 'Id of the endpoint, as GET /provider/serving lists it.' }),
    current: Type.Integer({ description: 'Requests that the endpoint serves now.' }),
    total: Type.Integer({ description: 'Requests that the endpoint can serve at once.' }),
    updated_at: Type.Integer({ description: 'When the slots were counted, Unix seconds.' }),
    expires_at: Type.Integer({ description: 'Unix seconds, a minute later: the report counts until then.' }),
  }),
});

const reportBody = checker(capacityReportSchema);

/**
 * `POST /provider/capacity`: slots in use and in total of one of the provider's endpoints, valid for a minute. Answers
 * the newest report, which is a later one where reports overtake each other. (rule C37)
 */
export async function acceptCapacity(
  context: RequestContext,
  provider: ProviderFacts,
  { cluster, askMs }: Pick<ProviderParts, 'cluster' | 'askMs'>,
): Promise<RouteAnswer> {
  const { endpoint_id: id, ...report } = reportBody(takeBody(context).value);
  const slots = { ...slotsOf(report), ...reportedAtOf(report, cluster.now()) };
  ownEndpoint(cluster, provider, id);
  try {
    const { current, total, reportedAt } = await reportCapacity(cluster, id, slots, askMs);
    const times = { updated_at: unix(reportedAt), expires_at: unix(reportedAt + CAPACITY_MS) };
    return jsonAnswer(JSON.stringify({ data: { endpoint_id: id, current, total, ...times } }));
  } catch (error) {
    // Withdrawn since this node's board was read.
    if (error instanceof AskError && error.failure.code === 'unhandled') throw NO_SUCH_ENDPOINT;
    throw error;
  }
}

type Report = Omit<Static<typeof capacityReportSchema>, 'endpoint_id'>;

function slotsOf({ current, total }: Report): { readonly current: number; readonly total: number } {
  if (current > total) throw invalid('current must be at most total');
  return { current, total };
}

function reportedAtOf({ updated_at: seconds }: Report, now: number): { readonly reportedAt?: number } {
  if (seconds == null) return {};
  const reportedAt = Math.floor(seconds * 1_000);
  if (now - reportedAt > CAPACITY_MS) throw invalid('updated_at must be at most a minute old');
  if (reportedAt - now > AHEAD_MS_MAX) throw invalid('updated_at must not be in the future');
  return { reportedAt };
}

function unix(ms: number): number {
  return Math.floor(ms / 1_000);
}
