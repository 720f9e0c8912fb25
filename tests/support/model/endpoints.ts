/** Endpoints as tests declare them, and the board that lists them. */
import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint, EndpointDeclaration, Measured } from '../../../actors/terms/endpoint.ts';
import { endpointId, providerId } from '../../../actors/terms/ids.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';

/** A plain endpoint declaration, as from a models document. */
export const DECLARATION: EndpointDeclaration = {
  id: 'ep_1',
  model: 'author/model',
  modelName: 'Author: Model',
  author: 'author',
  created: 1_700_000_000,
  description: null,
  provider: { id: 'prov_1', slug: 'alpha', name: 'Alpha' },
  tag: 'alpha',
  quantization: null,
  contextLength: 32_000,
  completionTokensMax: null,
  promptTokensMax: null,
  supportedParameters: ['tools'],
  descriptors: {},
  passthrough: {},
  ceilingName: 'max_tokens',
  cancellable: true,
  inputModalities: ['text'],
  inputs: {},
  outputModalities: ['text'],
  reasoning: null,
  defaultParameters: {},
  envelopes: {},
  compliance: null,
  dataPolicy: null,
  datacenters: null,
  tokenizer: null,
  target: { dialect: 'chat', baseUrl: 'https://alpha.example/v1', upstreamId: 'model' },
  tariff: { id: 'tariff-1', prompt: '0.000001', discount: 0 },
};

/** The figures of an endpoint without calls. */
export const UNMEASURED: Measured = {
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
  uptime7d: null,
  uptime5mSamples: 0,
  uptime30mSamples: 0,
  uptime1dSamples: 0,
  ttft30m: null,
  ttft1d: null,
  ttft30mSamples: 0,
  response30m: null,
  response1d: null,
  throughput30m: null,
  throughput1d: null,
  throughput30mSamples: 0,
  throughput1dSamples: 0,
  runaway1d: null,
  runaway1dSamples: 0,
  renderTiming: null,
  renderTimingSamples: 0,
  renderTimingSizes: 0,
  counts30m: { success: 0, error: 0, tokens: 0, causes: {} },
  counts1d: { success: 0, error: 0, tokens: 0, causes: {} },
};

/** A plain endpoint that has answered no call, with overrides. */
export function endpointOf(declared: Partial<Endpoint> = {}): Endpoint {
  return {
    ...DECLARATION,
    health: 'healthy',
    healthReason: '',
    evidence: NO_EVIDENCE,
    measured: UNMEASURED,
    ...declared,
  };
}

/** The declaration of a test endpoint, shorter than a models document. */
export interface Declared {
  /** Catalogue id. */
  readonly id: string;
  /** Absent: the catalogue id. */
  readonly upstreamId?: string;
  readonly name: string;
  readonly created: number;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly maxPromptTokens?: number;
  readonly quantization?: string;
  readonly supportedParameters: readonly string[];
  readonly ceilingName?: Endpoint['ceilingName'];
  readonly cancellable: boolean;
  readonly pricing: Omit<Tariff, 'id' | 'discount'>;
  readonly discount?: number;
}

/** An endpoint as the board lists it. */
export function boardEndpoint(slug: string, baseUrl: string, model: Partial<Declared> = {}): Endpoint {
  const declared: Declared = {
    id: 'sim/fast',
    name: 'Sim Fast',
    created: 1_750_000_000,
    contextLength: 8_192,
    maxCompletionTokens: 1_024,
    supportedParameters: ['temperature', 'tools', 'response_format'],
    cancellable: true,
    pricing: { prompt: '0.000001', completion: '0.000002' },
    ...model,
  };
  const { id, quantization = null, pricing, discount = 0 } = declared;
  return endpointOf({
    id: endpointId(slug, id),
    model: id,
    modelName: declared.name,
    author: id.slice(0, id.indexOf('/')),
    created: declared.created,
    provider: { id: providerId(slug), slug, name: slug.toUpperCase() },
    tag: quantization === null ? slug : `${slug}/${quantization}`,
    quantization,
    contextLength: declared.contextLength,
    completionTokensMax: declared.maxCompletionTokens ?? null,
    promptTokensMax: declared.maxPromptTokens ?? null,
    supportedParameters: declared.supportedParameters,
    ceilingName: declared.ceilingName ?? 'max_tokens',
    cancellable: declared.cancellable,
    target: { dialect: 'chat', baseUrl, upstreamId: declared.upstreamId ?? id },
    tariff: { id: `tar_${JSON.stringify(pricing)}`, ...pricing, discount },
  });
}

export function board(...endpoints: readonly Endpoint[]): ReadonlyMap<string, Json> {
  return new Map(endpoints.map((each) => [each.id, each as unknown as Json]));
}
