import { type Endpoint, LONE_OUTPUTS, type LoneOutput, type TurnDialect } from '../../../actors/terms/endpoint.ts';
import type { Credentials } from '../../outbound/credentials.ts';
import { type OutboundUrl, outboundUrl } from '../../outbound/outbound.ts';
import type { Adapter, BodyWriter, Learnt } from '../adapter.ts';
import { bedrockAdapter } from '../bedrock/adapter.ts';
import { chatAdapter } from '../chat/adapter.ts';
import { cohereAdapter } from '../cohere/adapter.ts';
import { completionsAdapter } from '../completions/adapter.ts';
import { embeddingsAdapter } from '../embeddings/adapter.ts';
import { serverSentEvents } from '../framing/server-sent-events.ts';
import { geminiAdapter } from '../gemini/adapter.ts';
import { messagesAdapter } from '../messages/adapter.ts';
import type { ModelList } from '../model-list.ts';
import { ollamaAdapter } from '../ollama/adapter.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { rerankAdapter } from '../rerank/adapter.ts';
import { responsesAdapter } from '../responses/adapter.ts';
import { credentialsFor } from './credentials/credentials.ts';

const ADAPTERS: Readonly<Record<TurnDialect | LoneOutput, Adapter>> = {
  chat: chatAdapter,
  messages: messagesAdapter,
  responses: responsesAdapter,
  bedrock: bedrockAdapter,
  gemini: geminiAdapter,
  ollama: ollamaAdapter,
  cohere: cohereAdapter,
  completions: completionsAdapter,
  embeddings: embeddingsAdapter,
  rerank: rerankAdapter,
};

/** The adapter of an endpoint; undefined for one that only renders videos. */
export function adapterOf({ target, outputModalities = [] }: Called): Adapter | undefined {
  const adapter = (ADAPTERS as Readonly<Record<string, Adapter | undefined>>)[target.dialect];
  const lone = LONE_OUTPUTS.find((output) => outputModalities.includes(output));
  return lone === undefined ? adapter : (adapter?.alone?.[lone] ?? adapter);
}

/** What of an endpoint decides how it is called. */
type Called = Pick<Endpoint, 'target'> & Partial<Pick<Endpoint, 'outputModalities'>>;

/** What authenticates calls to the provider of an endpoint, those for its list of models among them. */
export function credentialsOf(endpoint: Called, apiKey: string | null): Credentials {
  return credentialsFor(endpoint.target, adapterOf(endpoint) ?? chatAdapter, apiKey);
}

/** Where the provider of an endpoint lists its models: as its wire does, whatever the endpoint answers with. */
export function modelListOf({ target }: Called): ModelList | undefined {
  return ((ADAPTERS as Readonly<Record<string, Adapter | undefined>>)[target.dialect] ?? chatAdapter).models;
}

/** How to make one kind of call. The headers hold the operator's key: never logged. */
interface CallHead {
  readonly url: OutboundUrl;
  readonly headers: readonly string[];
}

/** How to call one endpoint: its addresses, its headers, its writer and its reader. */
export interface Target {
  readonly adapter: Adapter;
  readonly stream: CallHead;
  readonly whole: CallHead;
  /** The headers lack what authenticates a call: it is made for each. Null: they have it. */
  readonly signer: Exclude<Credentials, readonly string[]> | null;
  readonly write: BodyWriter;
  readonly learnt: Learnt;
  /** Its slug. */
  readonly provider: string;
  /** The endpoint answers with media: a line of its stream may hold a whole picture. */
  readonly drawsMedia: boolean;
}

/**
 * Prepares everything about an endpoint that does not depend on the request; once per endpoint. `apiKey` is null for a
 * provider without authentication, `learnt` what earlier calls to the endpoint found. Throws `ProviderFailure` for an invalid address or dialect.
 */
export function targetOf(
  endpoint: Endpoint,
  apiKey: string | null,
  adapter: Adapter | undefined = adapterOf(endpoint),
  learnt: Learnt = {},
): Target {
  if (adapter === undefined)
    throw new ProviderFailure('misconfigured', `endpoint ${endpoint.id} has an unknown dialect`);
  const credentials = credentialsFor(endpoint.target, adapter, apiKey);
  const signer = typeof credentials === 'function' ? credentials : null;
  const fixed = typeof credentials === 'function' ? [] : credentials;
  return {
    adapter,
    stream: { url: urlOf(endpoint, adapter, true), headers: headersOf(streamTypeOf(adapter), fixed) },
    whole: { url: urlOf(endpoint, adapter, false), headers: headersOf('application/json', fixed) },
    signer,
    write: adapter.writer(endpoint, learnt),
    learnt,
    provider: endpoint.provider.slug,
    drawsMedia: endpoint.outputModalities.some((modality) => modality !== 'text'),
  };
}

/** The content type of a streamed answer. */
export function streamTypeOf({ framing = serverSentEvents }: Adapter): string {
  return framing.type;
}

function urlOf({ id, target }: Endpoint, adapter: Adapter, stream: boolean): OutboundUrl {
  try {
    return outboundUrl(target.baseUrl, adapter.address(target, stream), target.wire?.query);
  } catch {
    throw new ProviderFailure('misconfigured', `endpoint ${id} has an invalid address`);
  }
}

function headersOf(accept: string, credentials: readonly string[]): readonly string[] {
  const standard = ['content-type', 'application/json', 'accept', accept, 'accept-encoding', 'identity'];
  return [...standard, 'user-agent', 'troupe', ...credentials];
}
