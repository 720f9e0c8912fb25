import type { Json } from '../../actors/runtime/index.ts';
import type { Descriptor, Endpoint } from '../../actors/terms/endpoint.ts';
import type { Tariff } from '../../actors/terms/tariff.ts';
import { compare } from '../../actors/terms/usd.ts';
import { catalogueModels } from './models.ts';
import { standingParameters } from './public-abilities.ts';
import { audioValues } from './public-video.ts';

type Published = Readonly<Record<string, unknown>>;

/** Whole seconds listed of one declared range. */
const SECONDS_LISTED_MAX = 600;

/** `data` of `GET /videos/models`, newest first. (rule V14) */
export function listVideoModels(topic: ReadonlyMap<string, Json>): readonly Published[] {
  return catalogueModels(topic).flatMap(({ endpoints }) => {
    const rendering = endpoints.filter(({ envelopes }) => envelopes.video !== undefined);
    return rendering.length === 0 ? [] : [videoModel(rendering)];
  });
}

/** Each member is the union over the live endpoints, cheapest first; null where none of them declares it. */
function videoModel(endpoints: readonly Endpoint[]): Published {
  const first = endpoints[0] as Endpoint;
  const listed = (name: string) => union(endpoints.map((each) => listOf(declaredOf(each, name))));
  return {
    id: first.model,
    canonical_slug: first.model,
    model_hub_id: first.modelHubId ?? null,
    name: first.modelName,
    created: first.created,
    ...(first.description === null ? {} : { description: first.description }),
    supported_resolutions: listed('resolution'),
    supported_aspect_ratios: listed('aspect_ratio'),
    supported_sizes: listed('size'),
    supported_durations: durationsOf(endpoints),
    supported_frame_images: listed('frame_images'),
    supported_reference_roles: rolesOf(endpoints),
    generate_audio: soundOf(endpoints),
    seed: endpoints.some((each) => standingParameters(each).includes('seed')) ? true : null,
    pricing_skus: pricesOf(endpoints),
    allowed_passthrough_parameters: union(endpoints.map(({ passthrough }) => Object.keys(passthrough)))?.sort() ?? [],
    upscale_factor: null,
    creativity: null,
  };
}

/** The descriptor of a declared parameter, undefined where no request may use it. */
function declaredOf(endpoint: Endpoint, name: string): Descriptor | undefined {
  return standingParameters(endpoint).includes(name) ? endpoint.descriptors[name] : undefined;
}

function listOf(declared: Descriptor | undefined): readonly string[] | null {
  if (declared?.type === 'array') return listOf(declared.items);
  return declared?.type === 'enum' ? declared.values.map(String) : null;
}

/** Whole seconds: those of an enum, and those inside a range. Ascending. */
function durationsOf(endpoints: readonly Endpoint[]): readonly number[] | null {
  const all = union(endpoints.map((endpoint) => secondsOf(declaredOf(endpoint, 'duration'))));
  return all === null ? null : all.sort((a, b) => a - b);
}

function secondsOf(declared: Descriptor | undefined): readonly number[] | null {
  if (declared?.type === 'enum') return declared.values.filter((value) => Number.isInteger(value)) as readonly number[];
  if (declared?.type !== 'range' && declared?.type !== 'integer') return null;
  const { min = 1, max } = declared;
  if (max === undefined) return null;
  const step = declared.type === 'range' && Number.isInteger(declared.step) ? (declared.step as number) : 1;
  const least = step === 1 ? Math.ceil(min) : min;
  const count = Math.min(SECONDS_LISTED_MAX, Math.floor((max - least) / step) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, nth) => least + nth * step).filter(Number.isInteger);
}

function rolesOf(endpoints: readonly Endpoint[]): Published | null {
  const declared = endpoints.flatMap(({ envelopes }) => envelopes.video?.references?.roles ?? []);
  const kinds = (['image', 'audio', 'video'] as const).flatMap((kind) => {
    const roles = union(declared.map((each) => each[kind] ?? null));
    return roles === null ? [] : [[kind, roles] as const];
  });
  return kinds.length === 0 ? null : Object.fromEntries(kinds);
}

/** True where some endpoint renders a soundtrack on request; false where endpoints declare that none does. */
function soundOf(endpoints: readonly Endpoint[]): boolean | null {
  const values = union(
    endpoints.map((endpoint) => {
      const { audio } = endpoint.envelopes.video ?? {};
      return audioValues(declaredOf(endpoint, 'generate_audio')) ?? (audio === undefined ? null : [audio]);
    }),
  );
  return values === null ? null : values.includes(true);
}

/**
 * The lowest declared rate per second over the endpoints: without a resolution, and for each separately priced one. A
 * rate that depends on anything else is left out.
 */
function pricesOf(endpoints: readonly Endpoint[]): Published | null {
  const lowest = new Map<string, string>();
  for (const [name, rate] of endpoints.flatMap(({ tariff }) => skusOf(tariff))) {
    const known = lowest.get(name);
    if (known === undefined || compare(rate, known) < 0) lowest.set(name, rate);
  }
  return lowest.size === 0 ? null : Object.fromEntries([...lowest].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function skusOf({ videoSecond, videoTiers = [] }: Tariff): readonly (readonly [string, string])[] {
  const tiers = videoTiers.flatMap(({ rate, resolution, ...conditions }) => {
    if (Object.keys(conditions).length > 0) return [];
    return [[resolution === undefined ? SKU : `${SKU}_${resolution}`, rate] as const];
  });
  return videoSecond === undefined ? tiers : [[SKU, videoSecond]];
}

const SKU = 'duration_seconds';

/** The values of those that declare any, without repeats, in the order of declaration. */
function union<T>(lists: readonly (readonly T[] | null)[]): T[] | null {
  const declared = lists.filter((list) => list !== null);
  return declared.length === 0 ? null : [...new Set(declared.flat())];
}
