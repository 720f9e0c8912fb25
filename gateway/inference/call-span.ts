/**
 * The span of one call of a provider, under the names of OpenTelemetry's conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/), with ours beside them. No member holds content. (rule N59)
 */
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TraceAttributes, TraceSpan } from '../terms/tracing.ts';
import type { TurnKind } from '../terms/turn-kind.ts';
import { settlementOf } from './settlement-of.ts';
import type { TurnRequest } from './turn-request.ts';

const OPERATIONS: Readonly<Record<TurnKind, string>> = {
  conversation: 'chat',
  continuation: 'text_completion',
  picture: 'generate_content',
  vectors: 'embeddings',
  ranking: 'rerank',
  video: 'generate_content',
};

/** A part of the request's span; undefined where the request is not traced. */
export function beginCall(request: TurnRequest, candidate: Candidate): TraceSpan | undefined {
  const { span, turn, caller, generation } = request;
  if (span === undefined) return undefined;
  const { model, endpoint, completionTokensMax } = candidate;
  const operation = OPERATIONS[turn.kind];
  return span.child(`${operation} ${model}`, {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': endpoint.provider.slug,
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': completionTokensMax,
    ...(turn.stream ? { 'gen_ai.request.stream': true } : {}),
    ...serverOf(endpoint),
    'troupe.generation': generation,
    'troupe.endpoint': endpoint.id,
    'troupe.account': caller.account,
    'troupe.key': caller.key,
  });
}

/** The call failed before anything was delivered. */
export function failCall(span: TraceSpan | undefined, category: string): void {
  span?.set({ 'error.type': category });
  span?.end(category);
}

interface EndedCall {
  readonly request: TurnRequest;
  readonly receipt: Receipt;
  /** From the call to its first part. */
  readonly firstMs: number;
  /** The category of the failure that broke the answer off. */
  readonly failure: string | null;
}

/** The call has an answer, whole or broken off. The cost is that of the settlement, exact decimal USD. */
export function endCall(span: TraceSpan | undefined, { request, receipt, firstMs, failure }: EndedCall): void {
  if (span === undefined) return;
  const { candidate, finishReason, upstreamId, delivered } = receipt;
  span.set({
    'gen_ai.response.model': candidate.endpoint.target.upstreamId,
    ...(upstreamId === null ? {} : { 'gen_ai.response.id': upstreamId }),
    ...(finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(request.turn.stream ? { 'gen_ai.response.time_to_first_chunk': firstMs / 1_000 } : {}),
    ...usageOf(receipt),
    ...(delivered ? { 'troupe.cost': settlementOf(request, receipt).cost } : {}),
  });
  if (failure === null) span.end();
  else failCall(span, failure);
}

/** The charged counts. Those of reasoning and of the cache are parts of the two. */
function usageOf({ billed }: Receipt): TraceAttributes {
  const counts = {
    'gen_ai.usage.input_tokens': billed.promptTokens,
    'gen_ai.usage.output_tokens': billed.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': billed.cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': billed.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': billed.reasoningTokens,
  };
  return Object.fromEntries(Object.entries(counts).filter((pair): pair is [string, number] => pair[1] !== undefined));
}

function serverOf({ target }: Endpoint): TraceAttributes {
  const { hostname, port, protocol } = new URL(target.baseUrl);
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}
