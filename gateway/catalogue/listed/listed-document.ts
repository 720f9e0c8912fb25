import type { TurnDialect } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor, DeclaredModel, ModelsDocument } from '../document/document-schema.ts';
import type { ListedModel } from './listed-models.ts';

/** Facts that the operator states for models whose list does not state them. Prices in USD per token. */
export interface StatedFacts {
  readonly price?: { readonly prompt: string; readonly completion: string };
  readonly contextLength?: number;
}

/** A models document, and the ids of the models that lack a fact and so do not serve. */
interface MadeDocument {
  readonly document: ModelsDocument;
  readonly unpriced: readonly string[];
  readonly unmeasured: readonly string[];
}

/** Stands where a context length has to be filled in. */
const UNKNOWN_LENGTH = 8_192;
const SLUG = /^[A-Za-z0-9._~-]+\/[A-Za-z0-9._~:-]+$/;
/** What a model is declared to take where its list names nothing; `troupe providers test` checks it. */
const USUAL = ['temperature', 'top_p', 'stop', 'tools', 'tool_choice', 'response_format'];
const USUAL_AT: Partial<Readonly<Record<TurnDialect, readonly string[]>>> = {
  messages: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'tool_choice'],
  ollama: ['temperature', 'top_p', 'top_k', 'min_p', 'seed', 'stop', 'tools', 'response_format', 'structured_outputs'],
};

/**
 * The models document of a provider from its own list. A model without a price or a context length is declared and does
 * not serve: nothing is sold by accident for nothing. `author` begins the ids of models that name none.
 */
export function listedDocument(
  listed: readonly ListedModel[],
  stated: StatedFacts,
  { dialect, author }: { readonly dialect: TurnDialect; readonly author: string },
): MadeDocument {
  const unpriced = listed.filter((model) => pricesOf(model, stated) === undefined).map(({ id }) => id);
  const unmeasured = listed.filter((model) => lengthOf(model, stated) === undefined).map(({ id }) => id);
  const waiting = new Set([...unpriced, ...unmeasured]);
  const data = listed.map(
    (model): DeclaredModel => ({
      schema_version: '2.4',
      id: model.id,
      slug: slugOf(model.id, author),
      name: model.name,
      created: model.created ?? 0,
      ...(waiting.has(model.id) ? { is_ready: false } : {}),
      input_modalities: inputsOf(model, stated),
      output_modalities: [outputOf(model, stated, dialect)],
    }),
  );
  return { document: { data }, unpriced, unmeasured };
}

/** `author/model`, or of a longer or other id its last part below the author. */
function slugOf(id: string, author: string): string {
  if (SLUG.test(id)) return id;
  return `${author}/${(id.split('/').at(-1) ?? id).replace(/[^A-Za-z0-9._~:-]+/g, '-')}`;
}

interface Prices {
  readonly prompt: string;
  readonly completion: string;
  readonly cached?: string | undefined;
}

function pricesOf({ promptUsd, completionUsd, cachedUsd }: ListedModel, { price }: StatedFacts): Prices | undefined {
  if (promptUsd === undefined || completionUsd === undefined) return price;
  return { prompt: promptUsd, completion: completionUsd, cached: cachedUsd };
}

function lengthOf(model: ListedModel, { contextLength }: StatedFacts): number | undefined {
  const { contextLengthMax: most = contextLength } = model;
  if (model.contextLength !== undefined || most === undefined) return model.contextLength;
  return Math.min(most, contextLength ?? most);
}

function inputsOf(model: ListedModel, stated: StatedFacts): DeclaredModel['input_modalities'] {
  const { prompt, cached } = pricesOf(model, stated) ?? {};
  const pricing = [
    ...(prompt === undefined ? [] : [{ type: 'prompt', unit: 'token', cost_usd: prompt } as const]),
    ...(cached === undefined ? [] : [{ type: 'cached_prompt', unit: 'token', cost_usd: cached } as const]),
  ];
  const length = { value: lengthOf(model, stated) ?? UNKNOWN_LENGTH };
  const text = { type: 'text', supported_inputs: { max_context_length: length }, pricing } as const;
  return model.readsPictures ? [text, PICTURES] : [text];
}

const PICTURES = {
  type: 'image',
  supported_inputs: { sources: { type: 'enum', values: ['base64'] } },
} as const satisfies DeclaredModel['input_modalities'][number];

function outputOf(
  model: ListedModel,
  stated: StatedFacts,
  dialect: TurnDialect,
): DeclaredModel['output_modalities'][number] {
  const { completion } = pricesOf(model, stated) ?? {};
  const usual = USUAL_AT[dialect] ?? USUAL;
  const names = model.parameters ?? usual.filter((name) => model.callsTools !== false || !name.startsWith('tool'));
  const parameters: Record<string, DeclaredDescriptor> = Object.fromEntries(
    names.map((name) => [name, { type: 'unknown' }]),
  );
  if (model.followsSchemas) parameters.structured_outputs = { type: 'unknown' };
  if (model.reasons) parameters.reasoning = reasoningOf(model);
  return {
    type: 'text',
    ...(model.completionTokensMax === undefined ? {} : { max_length: { value: model.completionTokensMax } }),
    supported_parameters: parameters,
    pricing: completion === undefined ? [] : [{ type: 'completion', unit: 'token', cost_usd: completion }],
  };
}

function reasoningOf({ efforts, thinksByBudget }: ListedModel): DeclaredDescriptor {
  if (efforts === undefined && thinksByBudget === undefined) return { type: 'unknown' };
  return {
    type: 'object',
    properties: {
      enabled: { type: 'boolean' },
      ...(thinksByBudget ? { max_tokens: { type: 'integer', min: BUDGET_MIN } } : {}),
      ...(efforts && !thinksByBudget ? { effort: { type: 'enum', values: [...efforts] } } : {}),
    },
  };
}

/** The smallest budget of the messages dialect, which alone has one. */
const BUDGET_MIN = 1_024;
