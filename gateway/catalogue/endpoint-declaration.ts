import { createHash } from 'node:crypto';
import type { EndpointDeclaration, ProviderFacts } from '../../actors/terms/declaration.ts';
import { endpointId, providerId } from '../../actors/terms/ids.ts';
import type { Modality } from '../../actors/terms/offer.ts';
import type { Tariff } from '../../actors/terms/tariff.ts';
import { usd } from '../../actors/terms/usd.ts';
import type { ModelDeclaration, ProviderDeclaration } from '../terms/provider-declaration.ts';

const TEXT: readonly Modality[] = ['text'];

/** A declared provider as its actor is told of it. What the config has no word for is not declared: null. */
export function providerFacts({ slug, name }: ProviderDeclaration): ProviderFacts {
  return {
    id: providerId(slug),
    slug,
    name,
    website: null,
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
    headquarters: null,
    datacenters: null,
  };
}

/** One model at one provider as its endpoint actor is told of it. */
export function endpointDeclaration(provider: ProviderDeclaration, model: ModelDeclaration): EndpointDeclaration {
  const { slug, name, baseUrl } = provider;
  const quantization = model.quantization ?? null;
  return {
    id: endpointId(slug, model.id),
    model: model.id,
    modelName: model.name,
    author: model.id.slice(0, model.id.indexOf('/')),
    created: model.created,
    description: model.description ?? null,
    provider: { id: providerId(slug), slug, name },
    tag: quantization === null ? slug : `${slug}/${quantization}`,
    quantization,
    contextLength: model.contextLength,
    completionTokensMax: model.maxCompletionTokens ?? null,
    promptTokensMax: model.maxPromptTokens ?? null,
    supportedParameters: [...new Set(model.supportedParameters)].sort(),
    descriptors: {},
    passthrough: {},
    ceilingName: model.ceilingName ?? 'max_tokens',
    cancellable: model.cancellable ?? false,
    inputModalities: TEXT,
    inputs: {},
    outputModalities: TEXT,
    reasoning: null,
    defaultParameters: {},
    envelopes: {},
    compliance: null,
    dataPolicy: null,
    datacenters: null,
    tokenizer: model.tokenizer ?? null,
    target: { dialect: 'chat', baseUrl, upstreamId: model.upstreamId ?? model.id },
    tariff: tariffOf(model),
  };
}

/** The same prices have the same id, whoever asks them. */
function tariffOf({ pricing, discount = 0 }: ModelDeclaration): Tariff {
  const prices = {
    ...(pricing.prompt === undefined ? {} : { prompt: usd(pricing.prompt) }),
    ...(pricing.completion === undefined ? {} : { completion: usd(pricing.completion) }),
    ...(pricing.request === undefined ? {} : { request: usd(pricing.request) }),
  };
  const text = JSON.stringify([prices.prompt ?? null, prices.completion ?? null, prices.request ?? null, discount]);
  const id = `tar_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return { id, ...prices, discount };
}
