/** The calls of both dialects of providers that render videos; see docs/providers.md. */
import type { AttemptCalls } from '../../outbound/attempt-calls.ts';
import type { OutboundBody, OutboundCall, OutboundLimits, OutboundReply } from '../../outbound/outbound.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { failureOf } from '../failure-of.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { classifyRefusal } from '../refusal/classify-refusal.ts';
import { refused } from '../refused.ts';
import { type RenderOrder, renderBody } from './render-body.ts';
import { UncertainRender } from './uncertain-render.ts';
import type { VideoTarget } from './video-target.ts';

export interface VideoLine {
  readonly calls: AttemptCalls;
  readonly target: VideoTarget;
  readonly limits: { readonly create: OutboundLimits; readonly poll: OutboundLimits; readonly clip: OutboundLimits };
}

/** What a create began: a job at the provider, or the clip itself. */
export type CreatedRender =
  | { readonly type: 'job'; readonly providerJobId: string; readonly status: number }
  | { readonly type: 'clip'; readonly body: OutboundBody; readonly status: number };

/** A render as its provider shows it. */
export interface PolledRender {
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  /** Of a failed render. */
  readonly failure: ProviderFailure | null;
  /** Seconds that the provider reports as rendered, decimal text; null where it reports none. */
  readonly videoSeconds: string | null;
}

interface ShownRender {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly usage?: { readonly video_seconds?: unknown } | null;
}

/** Ids of jobs are part of an address. */
const JOB_ID = /^[\w.:-]{1,200}$/;
const RUNNING = new Set(['pending', 'queued', 'in_progress', 'processing', 'running']);
const SECONDS_MAX = 86_400;
const CLIP_TYPES = ['video/mp4', 'application/octet-stream'];

interface CreateCall {
  readonly idempotencyKey: string;
  /**
   * Asked when the attempt ends during the call to a provider that answers with a job: true awaits the answer, since a
   * cut call leaves a render without a known id, which cannot be aborted. The call that answers with the clip always ends with its attempt.
   */
  readonly outlives: () => boolean;
}

/**
 * Asks an endpoint to render. Rejects with `ProviderFailure`; with `UncertainRender` where the provider may have begun a
 * render that nothing identifies.
 */
export async function createRender(
  line: VideoLine,
  order: RenderOrder,
  { idempotencyKey, outlives }: CreateCall,
): Promise<CreatedRender> {
  const { target, limits } = line;
  const isSync = target.dialect === 'video-sync';
  const body = renderBody(order);
  let unread: unknown = null;
  const chunks = async function* (): AsyncIterable<Uint8Array> {
    try {
      yield* body.chunks();
    } catch (thrown) {
      unread = thrown;
      throw thrown;
    }
  };
  let reply: OutboundReply;
  try {
    const call: OutboundCall = {
      method: 'POST',
      url: target.url('/videos'),
      headers: [...target.headers, 'idempotency-key', idempotencyKey],
      body: { length: body.length, chunks },
      limits: isSync ? limits.clip : limits.create,
    };
    reply = isSync ? await line.calls.send(call) : await line.calls.send(call, outlives);
  } catch (thrown) {
    if (unread !== null) throw unread;
    throw uncertainOf(thrown);
  }
  if (reply.status < 200 || reply.status > 299) throw await refusedCreate(reply);
  if (isSync) return { type: 'clip', body: clipBody(reply), status: reply.status };
  const shown = await shownRender(reply).catch((thrown: unknown) => {
    throw uncertainOf(thrown);
  });
  if (typeof shown.id !== 'string' || !JOB_ID.test(shown.id)) {
    throw new UncertainRender('garbage', 'the answer names no job', reply.status);
  }
  return { type: 'job', providerJobId: shown.id, status: reply.status };
}

/** How far a render has come. Rejects with `ProviderFailure`; its status is 404 for a job that the provider forgot. */
export async function pollRender(line: VideoLine, providerJobId: string): Promise<PolledRender> {
  const reply = await get(line, `/videos/${providerJobId}`, line.limits.poll);
  return polled(await shownRender(reply));
}

/** The bytes of the first clip. Rejects with `ProviderFailure`. */
export async function fetchClip(line: VideoLine, providerJobId: string): Promise<OutboundBody> {
  const reply = await get(line, `/videos/${providerJobId}/content?index=0`, line.limits.clip);
  return clipBody(reply);
}

/** Asks the provider to abort a render. Rejects with `ProviderFailure`. */
export async function cancelRender(line: VideoLine, providerJobId: string): Promise<PolledRender> {
  const { target, limits } = line;
  const url = target.url(`/videos/${providerJobId}/cancel`);
  const reply = await sent(line, { method: 'POST', url, headers: target.headers, body: '{}', limits: limits.poll });
  return polled(await shownRender(reply));
}

async function get(line: VideoLine, path: string, limits: OutboundLimits): Promise<OutboundReply> {
  const { target } = line;
  return sent(line, { method: 'GET', url: target.url(path), headers: target.headers, body: null, limits });
}

/** The reply with a status of success. */
async function sent(line: VideoLine, call: OutboundCall): Promise<OutboundReply> {
  let reply: OutboundReply;
  try {
    reply = await line.calls.send(call);
  } catch (thrown) {
    throw failureOf(thrown, null);
  }
  if (reply.status < 200 || reply.status > 299) throw await refused(reply);
  return reply;
}

/** A status of the provider's own failure leaves open whether it began the render. */
async function refusedCreate(reply: OutboundReply): Promise<ProviderFailure> {
  const { status } = reply;
  const failure = await refused(reply);
  const isOpen = failure.reason === 'timeout' || (failure.reason === 'unavailable' && status >= 500);
  return isOpen ? new UncertainRender(failure.reason, failure.message, status) : failure;
}

/** A call that never reached a connection began nothing. */
function uncertainOf(thrown: unknown): unknown {
  if (thrown instanceof OutboundError && CERTAIN.has(thrown.failure)) return failureOf(thrown, null);
  const { reason, message, status } = failureOf(thrown, null);
  return new UncertainRender(reason, message, status);
}

const CERTAIN = new Set(['connect', 'connect-timeout', 'saturated']);

async function shownRender(reply: OutboundReply): Promise<ShownRender> {
  let text: string;
  try {
    text = await reply.body.text();
  } catch (thrown) {
    throw failureOf(thrown, reply.status);
  }
  try {
    const shown = JSON.parse(text) as unknown;
    if (typeof shown === 'object' && shown !== null && !Array.isArray(shown)) return shown as ShownRender;
  } catch {
    // Answered below.
  }
  throw new ProviderFailure('garbage', 'the answer is no JSON object', reply.status);
}

function polled({ status, error, usage }: ShownRender): PolledRender {
  const seconds = usage?.video_seconds;
  const videoSeconds =
    typeof seconds === 'number' && seconds >= 0 && seconds <= SECONDS_MAX ? decimalOf(seconds) : null;
  if (status === 'completed' || status === 'cancelled') return { status, failure: null, videoSeconds };
  if (status === 'failed' || status === 'expired') {
    return { status: 'failed', failure: failedRender(error), videoSeconds };
  }
  if (typeof status === 'string' && RUNNING.has(status)) return { status: 'running', failure: null, videoSeconds };
  throw new ProviderFailure('garbage', 'a render in an unknown state');
}

/** A failure that says what is wrong with the request is a refusal of it; any other is the provider's own. */
function failedRender(error: unknown): ProviderFailure {
  const verdict = classifyRefusal({ error }, null);
  if (verdict === 'misconfigured') return new ProviderFailure(verdict, 'the render failed: the account or the model');
  if (typeof verdict === 'string' || verdict.code === 'invalid_request') {
    return new ProviderFailure('unavailable', 'the render failed');
  }
  return new ProviderFailure('rejected', `the render failed: ${verdict.code}`, null, verdict);
}

function decimalOf(seconds: number): string {
  // Without the zeros at its end: at six decimals no number is written with an exponent.
  return String(Number(seconds.toFixed(6)));
}

function clipBody(reply: OutboundReply): OutboundBody {
  const type = (reply.header('content-type') ?? '').toLowerCase();
  if (CLIP_TYPES.some((known) => type.startsWith(known))) return reply.body;
  reply.body.abort();
  throw new ProviderFailure('garbage', 'the content type is not video/mp4', reply.status);
}
