import type { PriceKey, PriceOverride } from '../../../actors/terms/tariff.ts';
import type { DeclaredModel, DeclaredPrice } from './document-schema.ts';
import { InvalidDocument, memberOf } from './validation-error.ts';

export type Condition = Omit<PriceOverride, PriceKey>;

/** A declared price with a key in the catalogue. */
export interface PriceEntry {
  readonly key: PriceKey;
  /** When the price applies; null for always. */
  readonly window: Condition | null;
  readonly declared: DeclaredPrice;
}

/** Price key by owning modality, type and unit. Other combinations have no key. */
const KEYS: Readonly<Record<string, PriceKey>> = {
  'text prompt token': 'prompt',
  'text prompt character': 'character',
  'text cached_prompt token': 'inputCacheRead',
  'text cache_write token': 'inputCacheWrite',
  'image prompt image': 'image',
  'audio prompt second': 'audioSecond',
  'text completion token': 'completion',
  'text internal_reasoning token': 'internalReasoning',
  'image completion image': 'imageOutput',
  'image completion token': 'imageOutputToken',
  'image completion megapixel': 'imageMegapixel',
  'audio completion second': 'audioSecond',
  'audio completion token': 'audioOutput',
  'video completion second': 'videoSecond',
  'model request request': 'request',
  'model request search': 'search',
};

const CACHE_DEFAULT_S = 300;
const CACHE_LONG_S = 3_600;

type Path = readonly (string | number)[];

/** The declared prices of a model, in order. Throws `InvalidDocument`. (rule C19) */
export function priceEntries(model: DeclaredModel, at: Path): readonly PriceEntry[] {
  const owners = [
    ...model.input_modalities.map((owner, nth) => ({ ...owner, path: [...at, 'input_modalities', nth, 'pricing'] })),
    ...model.output_modalities.map((owner, nth) => ({ ...owner, path: [...at, 'output_modalities', nth, 'pricing'] })),
    { type: 'model', pricing: model.pricing, path: [...at, 'pricing'] },
  ];
  return owners.flatMap(({ type, pricing = [], path }) => {
    const seen = new Set<string>();
    return pricing.flatMap((declared, nth) => {
      const window = windowOf(declared, [...path, nth]);
      refuseRepeat(declared, seen, [...path, nth]);
      const key = keyOf(type, declared);
      return key === null ? [] : [{ key, window, declared }];
    });
  });
}

/** Implicit cache writes, and cache lifetimes other than the named ones, have no key. */
function keyOf(owner: string, declared: DeclaredPrice): PriceKey | null {
  const key = KEYS[`${owner} ${declared.type} ${declared.unit}`] ?? null;
  if (declared.type !== 'cached_prompt' && declared.type !== 'cache_write') return key;
  const lifetime = declared.ttl_seconds ?? CACHE_DEFAULT_S;
  if (declared.type === 'cached_prompt') return lifetime === CACHE_DEFAULT_S ? key : null;
  if (declared.implicit) return null;
  if (key !== null && lifetime === CACHE_LONG_S) return 'inputCacheWrite1h';
  return lifetime === CACHE_DEFAULT_S ? key : null;
}

function windowOf({ utc_start, utc_end, utc_days }: DeclaredPrice, path: Path): Condition | null {
  const name = memberOf(path.map(String));
  if ((utc_start === undefined) !== (utc_end === undefined)) {
    throw new InvalidDocument(path, `${name} has only one of utc_start and utc_end; give both`);
  }
  for (const [member, clock] of Object.entries({ utc_start, utc_end })) {
    if (clock !== undefined && clock % 100 > 59) {
      throw new InvalidDocument([...path, member], `${name}.${member} is ${clock} and must end in minutes, 00 to 59`);
    }
  }
  if (utc_start !== undefined && utc_start === utc_end) {
    throw new InvalidDocument(
      path,
      `${name}.utc_end is ${utc_end} and must differ from utc_start; leave both out for the whole day`,
    );
  }
  if (utc_start === undefined && utc_days === undefined) return null;
  return {
    ...(utc_start === undefined || utc_end === undefined ? {} : { utcStart: utc_start, utcEnd: utc_end }),
    ...(utc_days === undefined ? {} : { utcDays: utc_days }),
  };
}

function refuseRepeat(declared: DeclaredPrice, seen: Set<string>, path: Path): void {
  const { cost_usd: _, overrides: __, ...rest } = declared;
  const name = JSON.stringify(Object.entries(rest).sort());
  if (seen.has(name))
    throw new InvalidDocument(path, `${memberOf(path.map(String))} duplicates another price; keep one`);
  seen.add(name);
}
