import type { Generation, SettledMedia } from './hold.ts';
import { add } from './usd.ts';

/** What one charge adds to the usage of its key, without its cost. Sent with the charge. */
export interface UsagePart {
  /** Address of the key. */
  readonly key: string;
  /** Store time of the ledger entry, ms: the day is the ledger's. */
  readonly at: number;
  readonly model: string;
  /** Endpoint id and the provider's display name. */
  readonly endpoint: string;
  readonly provider: string;
  /** Id of the workspace in which the money was held; absent: the default one of the account. */
  readonly workspace?: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Units other than tokens, decimal text; absent without any. */
  readonly units?: MediaSums;
  /** True where a unit without a declared price was consumed: it is not in the cost. */
  readonly unpriced?: true;
}

/** Sums over the charges of one UTC day, as rows carry them. */
export interface DaySums {
  /** Store time at which the UTC day began, ms. */
  readonly day: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Units other than tokens; absent without any. */
  readonly units?: MediaSums;
  /** Charges that miss a unit without a declared price; absent: none. */
  readonly unpriced?: number;
}

/** Units other than tokens, by name; exact decimal text. A unit that was not consumed is absent. */
type MediaSums = { readonly [unit in (typeof MEDIA_UNITS)[number]]?: string };

export const MEDIA_UNITS = [
  ...(['images', 'megapixels', 'audioSeconds', 'videoSeconds'] as const),
  ...(['inputImages', 'inputAudioSeconds', 'inputCharacters', 'searches'] as const),
] as const satisfies readonly (keyof SettledMedia)[];

/** What a charged generation adds. Unreported counts add nothing. */
export function usagePart(generation: Generation, at: number): UsagePart {
  const { key, model, endpoint, provider, settlement, workspace } = generation;
  return {
    key,
    at,
    model,
    endpoint,
    provider,
    ...(workspace === undefined ? {} : { workspace }),
    promptTokens: settlement?.promptTokens ?? 0,
    completionTokens: settlement?.completionTokens ?? 0,
    reasoningTokens: settlement?.reasoningTokens ?? 0,
    ...(settlement?.media === undefined ? {} : { units: unitsOf(settlement.media) }),
    ...(settlement !== null && settlement.unpriced.length > 0 ? { unpriced: true } : {}),
  };
}

function unitsOf(media: SettledMedia): MediaSums {
  const units: { -readonly [unit in keyof MediaSums]: MediaSums[unit] } = {};
  for (const unit of MEDIA_UNITS) if (media[unit] !== undefined) units[unit] = String(media[unit]);
  return units;
}

/** The sums of both; undefined where neither has a unit. */
export function addUnits(a: MediaSums | undefined, b: MediaSums | undefined): MediaSums | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const sums: { -readonly [unit in keyof MediaSums]: MediaSums[unit] } = { ...a };
  for (const unit of MEDIA_UNITS) if (b[unit] !== undefined) sums[unit] = add(a[unit] ?? '0', b[unit]);
  return sums;
}
