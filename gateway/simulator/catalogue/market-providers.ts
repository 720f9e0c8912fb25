import { type Declared, integer, oneOf } from './declare.ts';
import { MEDIA_MODELS } from './market-media.ts';
import { type MarketModel, TEXT_MODELS } from './market-models.ts';

/** What a provider of the demonstration market changes in the models that it sells. */
interface Trader {
  /** Ids of its models, in the order of the tables. */
  readonly sells: readonly string[];
  /** Percent of its price beside the maker's own. */
  readonly percent: bigint;
  /** The precision at which it runs public weights. */
  readonly quantization?: string;
  /** Discounts to users by model; negative: a surcharge. */
  readonly discounts?: Readonly<Record<string, number>>;
  /** Further parameters of its text models. */
  readonly adds?: Declared;
  readonly omits?: readonly string[];
  readonly contextMax?: number;
  /** Sells the writing of a prompt cache. */
  readonly sellsCacheWrites?: boolean;
  /** Halves the price of prompts at night, and quarters that of answers, for these models. */
  readonly cheaperAtNight?: readonly string[];
  /** Voices it has of its own; it imitates none. */
  readonly voices?: readonly string[];
  readonly terms: Declared;
}

const NIGHT = { utc_start: 1630, utc_end: 30 };
const MARKET = [...TEXT_MODELS, ...MEDIA_MODELS];
const CLIPS = ['reel-2', 'reel-2-fast'];
const BUT = (...left: readonly string[]): readonly string[] =>
  MARKET.map(({ id }) => id).filter((id) => !left.includes(id));

const TRADERS: Readonly<Record<string, Trader>> = {
  aster: {
    sells: BUT(...CLIPS),
    percent: 100n,
    sellsCacheWrites: true,
    terms: {
      cancellable: true,
      compliance: { zdr: true, hipaa: true },
      data_policy: { training: false, retention_days: 0 },
      datacenters: [
        { country_code: 'US', region: 'us-east' },
        { country_code: 'US', region: 'us-west' },
      ],
    },
  },
  borealis: {
    sells: BUT('quill-2-pro', 'pebble-1b', 'lumen-draw-1', 'lumen-draw-1-turbo', ...CLIPS),
    percent: 110n,
    quantization: 'bf16',
    discounts: { 'tessera-coder-32b': -0.05, 'tessera-coder-7b': -0.05 },
    cheaperAtNight: ['meridian-reason-1'],
    voices: ['linden', 'willow'],
    terms: {
      cancellable: true,
      compliance: { zdr: true },
      data_policy: { training: false, retention_days: 0 },
      datacenters: [
        { country_code: 'IS', region: 'eu-north' },
        { country_code: 'NO', region: 'eu-north' },
      ],
    },
  },
  cobalt: {
    sells: BUT('quill-2-pro', 'lumen-draw-1-turbo', 'cadence-voice-2', 'reel-2-fast'),
    percent: 90n,
    quantization: 'fp8',
    adds: { top_k: integer({ min: 1, max: 200 }) },
    terms: {
      cancellable: true,
      data_policy: { training: false, retention_days: 30 },
      datacenters: [{ country_code: 'DE', region: 'eu-central' }],
    },
  },
  dune: {
    sells: BUT(
      'aster-4-large',
      'aster-4-code',
      'gale-70b',
      'lumen-vision-11b',
      'harbor-guard-3b',
      'lumen-draw-1',
      'cadence-voice-2',
    ),
    percent: 80n,
    quantization: 'fp4',
    discounts: { 'gale-8b': 0.2, 'quill-2-pro': 0.2, 'quill-2-flash': 0.2 },
    omits: ['seed'],
    contextMax: 131_072,
    cheaperAtNight: ['meridian-reason-1'],
    terms: {
      cancellable: false,
      data_policy: { training: true },
      datacenters: [
        { country_code: 'SG', region: 'ap-southeast' },
        { country_code: 'JP', region: 'ap-northeast' },
      ],
    },
  },
};

/** The models of a provider of the market, in the published shape; null for another provider. */
export function marketModels(slug: string): readonly Declared[] | null {
  const trader = TRADERS[slug];
  return trader ? MARKET.filter(({ id }) => trader.sells.includes(id)).map((model) => sold(model, trader)) : null;
}

function sold(model: MarketModel, trader: Trader): Declared {
  const { maker, inputs, outputs, open, more, tokenizer = 'Other', ...rest } = model;
  const { quantization, discounts = {}, terms } = trader;
  const discount = discounts[model.id];
  return {
    schema_version: '2.4',
    ...rest,
    slug: `${maker}/${model.id}`,
    tokenizer,
    ...open,
    ...(open !== undefined && quantization !== undefined ? { quantization } : {}),
    ...more,
    ...(discount === undefined ? {} : { discount_to_user: discount }),
    input_modalities: inputs.map((input) => traded(input, model, trader)),
    output_modalities: outputs.map((output) => traded(output, model, trader)),
    ...terms,
  };
}

/** An input or output with the provider's prices, parameters and window. */
function traded(declared: Declared, model: MarketModel, trader: Trader): Declared {
  const { pricing, supported_parameters: parameters, supported_inputs: inputs } = declared;
  return {
    ...declared,
    ...(pricing ? { pricing: (pricing as readonly Declared[]).flatMap((entry) => asked(entry, model, trader)) } : {}),
    ...(parameters ? { supported_parameters: ofTrader(declared, parameters as Declared, model, trader) } : {}),
    ...(inputs ? { supported_inputs: bounded(inputs as Declared, trader) } : {}),
  };
}

function ofTrader({ type }: Declared, declared: Declared, model: MarketModel, trader: Trader): Declared {
  const { adds = {}, omits = [], voices } = trader;
  if (type === 'audio' && voices !== undefined) {
    const { input_references: _imitation, ...spoken } = declared;
    return { ...spoken, voice: oneOf(voices) };
  }
  if (type !== 'text' || MEDIA_MODELS.includes(model)) return declared;
  return { ...Object.fromEntries(Object.entries(declared).filter(([name]) => !omits.includes(name))), ...adds };
}

function bounded(inputs: Declared, { contextMax }: Trader): Declared {
  const window = inputs.max_context_length as { readonly value: number } | undefined;
  if (window === undefined || contextMax === undefined) return inputs;
  return { ...inputs, max_context_length: { value: Math.min(window.value, contextMax) } };
}

/** One price of the maker as this provider asks it, and its price at night. */
function asked(entry: Declared, { id }: MarketModel, trader: Trader): readonly Declared[] {
  if (entry.type === 'cache_write' && !trader.sellsCacheWrites) return [];
  const scaled = scaledPrice(entry, trader.percent);
  const quarters = { prompt: 2n, completion: 1n }[entry.type as string];
  if (quarters === undefined || !trader.cheaperAtNight?.includes(id)) return [scaled];
  return [scaled, { ...scaled, cost_usd: times(scaled.cost_usd as string, quarters * 25n), ...NIGHT }];
}

function scaledPrice(entry: Declared, percent: bigint): Declared {
  const { overrides } = entry;
  return {
    ...entry,
    cost_usd: times(entry.cost_usd as string, percent),
    ...(overrides ? { overrides: (overrides as readonly Declared[]).map((one) => scaledPrice(one, percent)) } : {}),
  };
}

/** Percent of a decimal text, exactly. */
function times(decimal: string, percent: bigint): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = (BigInt(whole + fraction) * percent).toString().padStart(fraction.length + 3, '0');
  const point = digits.length - fraction.length - 2;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}
