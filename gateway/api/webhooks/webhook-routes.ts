import { type Cluster, ownerOf, type Random } from '../../../actors/runtime/index.ts';
import { isWebhookEventId } from '../../../actors/terms/ids.ts';
import type { DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';
import type { SigningRecord } from '../../../actors/webhook/signing.machine.ts';
import { findSigning, rotateSigning } from '../../../actors/webhook/signing.ts';
import { type DeliveryPage, listDeliveries, retryDelivery } from '../../../actors/webhook/webhook.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { signingSecret } from '../../jobs/webhook/signing-secret.ts';
import { invalid, notFound, refusalError } from '../../terms/gateway-error.ts';
import { after, limitTo, type Operations } from '../wire/operation.ts';
import { deliveryListSchema, deliverySchema, webhookSecretSchema } from './webhook-schema.ts';

const PAGE = { usual: 20, most: 100 } as const;

interface WebhookParts {
  readonly cluster: Cluster;
  readonly random: Random;
  /** The signing secrets are derived from it. */
  readonly pepper: Uint8Array;
  readonly askMs: number;
  /** How long the secret before a rotation remains valid. */
  readonly secretOverlapMs: number;
}

/** What the document says of the routes. */
export const WEBHOOK_OPERATIONS: Operations = {
  'GET /webhooks/secret': {
    key: 'inference',
    summary: 'The secret that signs the webhooks of this account',
    description: 'It exists from the first job that names a `callback_url`, or from a rotation.',
    answers: 'The secret in use.',
    reply: { WebhookSecret: webhookSecretSchema },
  },
  'POST /webhooks/secret/rotate': {
    key: 'inference',
    summary: 'Mints a new signing secret',
    description: 'The previous secret signs too for a day.',
    answers: 'The new secret.',
    reply: { WebhookSecret: webhookSecretSchema },
  },
  'GET /webhooks/deliveries': {
    key: 'inference',
    summary: 'The webhooks of this account with their attempts, newest first',
    description: 'Shows which receivers answered, and when the next attempt begins.',
    answers: 'A page of deliveries.',
    query: { limit: limitTo(100), after },
    reply: { WebhookDeliveryList: deliveryListSchema },
  },
  'POST /webhooks/deliveries/{id}/retry': {
    key: 'inference',
    summary: 'Begins the next attempt of a waiting webhook now',
    description: 'It is one of the eight attempts. A delivery that does not wait is 409.',
    answers: 'The delivery, under way.',
    path: { id: 'Id of the event, as `Gateway-Idempotency-Key` sent it.' },
    reply: { WebhookDelivery: deliverySchema },
  },
};

/** The signing secret and the deliveries of the caller's account, for any of its keys. (rule V42, rule V43) */
export function webhookRoutes(parts: WebhookParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/webhooks/secret',
      policy: 'key',
      answer: (context) => showSecret(context, parts),
    },
    {
      method: 'POST',
      path: '/webhooks/secret/rotate',
      policy: 'key',
      answer: (context) => rotateSecret(context, parts),
    },
    {
      method: 'GET',
      path: '/webhooks/deliveries',
      policy: 'key',
      answer: (context) => showDeliveries(context, parts),
    },
    {
      method: 'POST',
      path: '/webhooks/deliveries/:id/retry',
      policy: 'key',
      answer: (context) => retry(context, parts),
    },
  ];
}

async function showSecret(context: RequestContext, parts: WebhookParts): Promise<RouteAnswer> {
  const account = accountOf(context);
  const signing = await findSigning(parts.cluster, account);
  if (signing === null) {
    throw notFound(
      'No signing secret yet: it is minted with the first job that names a callback_url, or by a rotation',
    );
  }
  return secretAnswer(parts, account, signing);
}

async function rotateSecret(context: RequestContext, parts: WebhookParts): Promise<RouteAnswer> {
  const account = accountOf(context);
  const { cluster, random, askMs: withinMs, secretOverlapMs: overlapMs } = parts;
  const request = Buffer.from(random.bytes(16)).toString('hex');
  return secretAnswer(parts, account, await rotateSigning(cluster, account, { request, overlapMs, withinMs }));
}

function secretAnswer(
  { pepper, cluster }: WebhookParts,
  account: string,
  { current, previous }: SigningRecord,
): RouteAnswer {
  const overlaps = previous !== null && cluster.now() < previous.validUntil;
  return json({
    object: 'webhook_secret',
    secret: signingSecret(pepper, account, current),
    created_at: seconds(current.mintedAt),
    previous_expires_at: overlaps ? seconds(previous.validUntil) : null,
  });
}

async function showDeliveries(context: RequestContext, { cluster }: WebhookParts): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const after = textOf(query, 'after');
  if (after !== null && !isWebhookEventId(after)) throw invalid('after must be the id of a webhook event');
  const page = await listDeliveries(cluster, accountOf(context), { limit: limitOf(query, PAGE), after });
  if (page === null) throw notFound('No such delivery');
  return json(pageObject(page));
}

async function retry(context: RequestContext, { cluster, askMs }: WebhookParts): Promise<RouteAnswer> {
  const { id = '' } = context.params;
  if (!isWebhookEventId(id)) throw notFound('No such delivery');
  const answer = await retryDelivery(cluster, { account: accountOf(context), id }, askMs);
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return json(deliveryObject(answer));
}

function pageObject({ deliveries, hasMore }: DeliveryPage): object {
  return {
    object: 'list',
    data: deliveries.map(deliveryObject),
    first_id: deliveries.at(0)?.id ?? null,
    last_id: deliveries.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Nothing of the receiver's answer but its class, and no duration. (rule V43) */
function deliveryObject(delivery: DeliveryRecord): object {
  const { id, type, job, url, status, createdAt, attempts, nextAttemptAt, endedAt } = delivery;
  return {
    id,
    object: 'webhook_delivery',
    type,
    job_id: job,
    url,
    status,
    created_at: seconds(createdAt),
    attempts: attempts.map(({ at, outcome }) => ({ at: seconds(at), outcome })),
    next_attempt_at: nextAttemptAt === null ? null : seconds(nextAttemptAt),
    ended_at: endedAt === null ? null : seconds(endedAt),
  };
}

function accountOf(context: RequestContext): string {
  return ownerOf(callerOf(context).key);
}

function json(value: object): RouteAnswer {
  return jsonAnswer(JSON.stringify(value));
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
