/** Words of a models document: parameters, inputs, outputs and prices, as the tables of the simulated providers write them. */

/** A member of a models document. */
export type Declared = Readonly<Record<string, unknown>>;

const ANY = { type: 'unknown' };
export const BOOLEAN = { type: 'boolean' };

export function oneOf(values: readonly unknown[], preset?: unknown): Declared {
  return preset === undefined ? { type: 'enum', values } : { type: 'enum', values, default: preset };
}

export function range(min: number, max: number, more: Declared = {}): Declared {
  return { type: 'range', min, max, ...more };
}

export function integer(bounds: { readonly min?: number; readonly max?: number } = {}): Declared {
  return { type: 'integer', ...bounds };
}

export const EFFORT = oneOf(['high', 'medium', 'low', 'none'], 'medium');

/** Parameters that all models declare alike. */
const SHARED: Declared = {
  max_tokens: ANY,
  max_completion_tokens: ANY,
  temperature: range(0, 2),
  top_p: range(0, 1),
  stop: ANY,
  seed: integer(),
  presence_penalty: range(-2, 2),
  frequency_penalty: range(-2, 2),
  response_format: ANY,
  structured_outputs: ANY,
  n: integer({ min: 1, max: 1 }),
  tools: ANY,
  tool_choice: ANY,
  parallel_tool_calls: BOOLEAN,
  reasoning_effort: EFFORT,
  min_p: range(0, 1),
  repetition_penalty: range(0, 2),
  logit_bias: ANY,
  logprobs: BOOLEAN,
  top_logprobs: integer({ min: 0, max: 20 }),
  output_format: oneOf(['png']),
};

/** Parameters by name, separated by blanks, and those that only this model declares so. */
export function parameters(names: string, own: Declared = {}): Declared {
  const shared = names.split(' ').filter((name) => name !== '');
  return { ...Object.fromEntries(shared.map((name) => [name, SHARED[name]])), ...own };
}

/** One price, decimal text in USD. */
export function price(type: string, unit: string, cost_usd: string, more: Declared = {}): Declared {
  return { type, unit, cost_usd, ...more };
}

/** Prices of one token, by what the token is. */
export function perToken(prices: Readonly<Record<string, string>>): readonly Declared[] {
  return Object.entries(prices).map(([type, cost]) => price(type, 'token', cost));
}

function priced(pricing: readonly Declared[]): Declared {
  return pricing.length === 0 ? {} : { pricing };
}

export function reads(context: number, pricing: readonly Declared[]): Declared {
  return { type: 'text', supported_inputs: { max_context_length: { value: context } }, ...priced(pricing) };
}

/** A picture, recording, clip or document as an input: its sources and its media types. */
export function takes(
  type: string,
  sources: readonly string[],
  formats: readonly string[] = [],
  pricing: readonly Declared[] = [],
): Declared {
  const inputs = { sources: oneOf(sources), ...(formats.length === 0 ? {} : { formats: oneOf(formats) }) };
  return { type, supported_inputs: inputs, ...priced(pricing) };
}

export const ANYWHERE = ['url', 'base64'];
export const INLINE = ['base64'];
export const PICTURES = ['image/png', 'image/jpeg', 'image/webp'];
export const RECORDINGS = ['audio/wav', 'audio/mpeg'];
export const PDF = ['application/pdf'];

/** Text of at most `length` tokens, streamed. */
export function writes(length: number, supported_parameters: Declared, pricing: readonly Declared[]): Declared {
  return { type: 'text', supported_parameters, streaming: true, max_length: { value: length }, pricing };
}

/** Pictures or speech, streamed. */
export function makes(type: string, supported_parameters: Declared, pricing: readonly Declared[]): Declared {
  return { type, supported_parameters, streaming: true, pricing };
}

/** Clips: one price of a second, and those of other parameters (`when`). */
export function renders(
  supported_parameters: Declared,
  video: Declared,
  cost_usd: string,
  overrides: readonly Declared[] = [],
): Declared {
  const more = overrides.length === 0 ? {} : { overrides };
  return { type: 'video', supported_parameters, video, pricing: [price('completion', 'second', cost_usd, more)] };
}

/** The price of a second of video where these parameters have these values. */
export function when(values: Declared, cost_usd: string): Declared {
  const equal = Object.entries(values).map(([name, value]) => [name, { equals: value }]);
  return { when: Object.fromEntries(equal), cost_usd };
}

export const ANY_PICTURE = [...PICTURES, 'image/gif'];
export const TOP_K = integer({ min: -1 });

/** What the text models of the simulators take, by name. */
export const SAMPLING =
  'max_tokens max_completion_tokens temperature top_p stop seed presence_penalty frequency_penalty response_format n';
export const TOOLS = `${SAMPLING} tools tool_choice parallel_tool_calls`;

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Unix s. */
  readonly created?: number;
  /** Other members of the document. */
  readonly more?: Declared;
}

/** A model of a simulator, without what its provider says of all its models. */
export function model(
  { id, name, description, created = 1763000000, more = {} }: Named,
  input_modalities: readonly Declared[],
  output_modalities: readonly Declared[],
): Declared {
  const named = { schema_version: '2.4', id, name, created, description, tokenizer: 'Other' };
  return { ...named, input_modalities, output_modalities, ...more };
}
