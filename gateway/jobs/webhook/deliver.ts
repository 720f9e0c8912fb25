import {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Cluster,
  type Json,
  type Random,
} from '../../../actors/runtime/index.ts';
import type { DeliverInput, DeliverResult } from '../../../actors/webhook/delivery.ts';
import { NOT_SENT } from '../../../actors/webhook/delivery.ts';
import type { DeliveryOutcome } from '../../../actors/webhook/delivery-record.ts';
import type { SigningRecord } from '../../../actors/webhook/signing.machine.ts';
import { findSigning } from '../../../actors/webhook/signing.ts';
import type { PublicClient } from '../../outbound/public-client.ts';
import type { PostOutcome } from '../../outbound/public-exchange.ts';
import type { WebhookLimits } from '../../terms/config/config.ts';
import { secretsAt, signatureOf } from './signing-secret.ts';

/** What deliveries of a node need. */
export interface WebhookServices {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly client: Pick<PublicClient, 'post'>;
  readonly pepper: Uint8Array;
  readonly crashpoint: (name: 'hook.sent') => void;
  readonly log: (record: Readonly<Record<string, unknown>>, message: string) => void;
}

/**
 * The activity `deliver`: posts a webhook once and resolves with the class of the answer and the wait before the next
 * attempt. It is never shed. (rule V39, rule V41)
 */
export function deliverHandler(services: () => WebhookServices, limits: WebhookLimits): ActivityHandler {
  return {
    runningMax: limits.runningMax,
    runningPerGroupMax: limits.runningPerHostMax,
    groupOf: (_, input) => new URL((input as unknown as DeliverInput).url).host,
    run: async (task, signal) => (await deliver(services(), limits, task, signal)) as unknown as Json,
  };
}

async function deliver(
  { cluster, random, client, pepper, crashpoint, log }: WebhookServices,
  limits: WebhookLimits,
  task: ActivityTask,
  signal: AbortSignal,
): Promise<DeliverResult> {
  const { id, account, url, body, attempt } = task.input as unknown as DeliverInput;
  const signing = await signingOf(cluster, account);
  const now = cluster.now();
  const signature = signatureOf(body, secretsAt(pepper, account, { signing, now }), now);
  const answer = await client.post({ url, headers: headersOf(id, signature), body, signal });
  crashpoint('hook.sent');
  const outcome = outcomeOf(answer);
  const host = new URL(url).host;
  if ('failure' in answer) log({ webhook: id, host, failure: outcome, detail: answer.message }, 'a webhook failed');
  // Attempts of the runtime's own, after the death of a runner, continue the number of the chart's.
  const retryInMs = backOffMs(limits, attempt + task.attempt - 1, random.fraction());
  return { outcome, retryInMs };
}

/** While the store cannot be read nothing is sent, and the attempt does not count. */
async function signingOf(cluster: Cluster, account: string): Promise<SigningRecord> {
  const signing = await findSigning(cluster, account).catch((error: unknown) => {
    throw new ActivityFailed(NOT_SENT, String(error), true);
  });
  if (signing === null) throw new ActivityFailed(NOT_SENT, 'the account has no signing secret', true);
  return signing;
}

/** Alternating names and values. */
function headersOf(id: string, signature: string): readonly string[] {
  return [
    'content-type',
    'application/json; charset=utf-8',
    'user-agent',
    'troupe-webhooks',
    'gateway-signature',
    signature,
    'gateway-idempotency-key',
    id,
  ];
}

function outcomeOf(answer: PostOutcome): DeliveryOutcome {
  if ('failure' in answer) return answer.failure;
  const { status } = answer;
  return status < 600 ? (`${Math.floor(status / 100)}xx` as DeliveryOutcome) : 'malformed';
}

const FACTOR = 4;

/**
 * The wait after the given attempt (1, 2, ...), in whole ms: exponential, bounded, and between half and all of its value
 * by chance, so that deliveries which failed together are not repeated together.
 */
function backOffMs(
  { backOffMsMin, backOffMsMax }: Pick<WebhookLimits, 'backOffMsMin' | 'backOffMsMax'>,
  attempt: number,
  fraction: number,
): number {
  const whole = Math.min(backOffMsMax, backOffMsMin * FACTOR ** (attempt - 1));
  return Math.ceil(whole * (0.5 + fraction / 2));
}
