import type { VideoTier } from '../../../actors/terms/tariff.ts';
import type { DeclaredModel } from './document-schema.ts';
import type { PriceEntry } from './price-entries.ts';

type When = Omit<VideoTier, 'rate'>;

/** Wire names of the conditions that a request for a video decides. */
const CONDITIONS: Readonly<Record<string, keyof When>> = {
  resolution: 'resolution',
  size: 'size',
  generate_audio: 'audio',
  adapter: 'adapter',
};

/**
 * The rates per second of rendered video under conditions; null where one unconditional rate says it all, or nothing is
 * declared. Rates without a condition come first, those with a clock window last. A rate under any other condition is
 * left out. Empty where videos are priced by a unit that is not measured: no rate then applies to any render. `charged`
 * is the price less the discount. (rule V16)
 */
export function videoTiersOf(
  { output_modalities }: DeclaredModel,
  entries: readonly PriceEntry[],
  charged: (price: string) => string,
): readonly VideoTier[] | null {
  const prices = output_modalities.flatMap(({ type, pricing = [] }) => (type === 'video' ? pricing : []));
  if (prices.some(({ type, unit }) => type !== 'completion' || unit !== 'second')) return [];
  const rates = entries.filter(({ key }) => key === 'videoSecond');
  if (rates.every(({ window, declared }) => window === null && !declared.overrides?.length)) return null;
  const [plain, tiers, windows]: [VideoTier[], VideoTier[], VideoTier[]] = [[], [], []];
  for (const { window, declared } of rates) {
    const { utcStart, utcEnd, utcDays } = window ?? {};
    const timed = {
      ...(utcStart === undefined || utcEnd === undefined ? {} : { utcStart, utcEnd }),
      ...(utcDays === undefined ? {} : { utcDays }),
    };
    (window === null ? plain : windows).push({ rate: charged(declared.cost_usd), ...timed });
    for (const { when, cost_usd } of declared.overrides ?? []) {
      const condition = conditionOf(when);
      if (condition !== null)
        (window === null ? tiers : windows).push({ rate: charged(cost_usd), ...condition, ...timed });
    }
  }
  return [...plain, ...tiers, ...windows];
}

/** Null for a condition that a request for a video does not decide. */
function conditionOf(when: object): When | null {
  const { allOf = [], ...members } = when as Readonly<Record<string, unknown>>;
  if (!Array.isArray(allOf)) return null;
  const parts = [...Object.entries(members).map(equalOf), ...allOf.map((each) => conditionOf(Object(each)))];
  let joined: When = {};
  for (const part of parts) {
    // Two values of one name can never hold together.
    if (part === null || Object.keys(part).some((name) => name in joined)) return null;
    joined = { ...joined, ...part };
  }
  return Object.keys(joined).length === 0 ? null : joined;
}

/** `{"resolution": {"equals": "720p"}}` is the only form. */
function equalOf([member, test]: readonly [string, unknown]): When | null {
  const name = Object.hasOwn(CONDITIONS, member) ? CONDITIONS[member] : undefined;
  const { equals, ...others } = Object(test) as { readonly equals?: unknown };
  const isFit = typeof equals === (name === 'audio' ? 'boolean' : 'string');
  return name !== undefined && isFit && Object.keys(others).length === 0 ? { [name]: equals } : null;
}
