import type { EndpointDeclaration } from '../../../actors/terms/declaration.ts';

/** An endpoint as a models document declares it, with nothing special about it. */
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
  ceilingName: 'max_tokens',
  cancellable: true,
  inputModalities: ['text'],
  outputModalities: ['text'],
  tokenizer: null,
  target: { baseUrl: 'https://alpha.example/v1', upstreamId: 'model' },
  tariff: { id: 'tariff-1', prompt: '0.000001', discount: 0 },
};
