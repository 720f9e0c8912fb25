import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listVideoModels } from '../../../gateway/catalogue/video-models.ts';
import { ASPECT_RATIOS, FRAME_TYPES, RESOLUTIONS } from '../../../gateway/terms/video-request.ts';
import { CLIPS, SECOND, video } from '../../fixtures/models/clips.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { declared } from './declared.ts';

const it = bounded(test);
const live = boardEndpoint('x', 'http://x/v1');

/** One endpoint as its document declares it; an absent member is undeclared. */
interface Document {
  readonly resolution?: readonly string[];
  readonly aspect_ratio?: readonly string[];
  readonly size?: readonly string[];
  readonly duration?: readonly number[] | { readonly min: number; readonly max: number };
  readonly frame_images?: readonly string[];
  readonly generate_audio?: readonly boolean[];
  readonly seed?: true;
  readonly roles?: { readonly image?: readonly string[]; readonly video?: readonly string[] };
  readonly rate?: string;
  readonly tiers?: readonly (readonly [resolution: string, rate: string])[];
}

function outputOf({
  resolution,
  aspect_ratio,
  size,
  duration,
  frame_images,
  generate_audio,
  seed,
  roles,
  rate,
  tiers,
}: Document): object {
  const enums = Object.entries({ resolution, aspect_ratio, size, generate_audio }).flatMap(([name, values]) =>
    values === undefined ? [] : [[name, { type: 'enum', values }]],
  );
  const overrides = tiers?.map(([name, cost_usd]) => ({ when: { resolution: { equals: name } }, cost_usd }));
  return video({
    supported_parameters: {
      ...Object.fromEntries(enums),
      ...(duration === undefined
        ? {}
        : { duration: 'min' in duration ? { type: 'range', ...duration } : { type: 'enum', values: duration } }),
      ...(frame_images === undefined
        ? {}
        : { frame_images: { type: 'array', items: { type: 'enum', values: frame_images } } }),
      ...(seed === undefined ? {} : { seed: { type: 'integer' } }),
    },
    video: roles === undefined ? {} : { references: { roles } },
    ...(rate === undefined ? {} : { pricing: [{ ...SECOND, cost_usd: rate, ...(overrides ? { overrides } : {}) }] }),
  });
}

const some = <T extends string | number>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const cents = fc.integer({ min: 1, max: 99 }).map((n) => `0.${`${n}`.padStart(2, '0')}`);
const document: fc.Arbitrary<Document> = fc.record(
  {
    resolution: some(RESOLUTIONS),
    aspect_ratio: some(ASPECT_RATIOS),
    size: some(['1280x720', '720x1280', '640x640']),
    duration: fc.oneof(
      some([2, 2.5, 4, 8, 12]),
      fc.record({ min: fc.constantFrom(0.5, 1, 3), max: fc.constantFrom(4, 5.5, 6) }),
    ),
    frame_images: some(FRAME_TYPES),
    generate_audio: fc.constantFrom([true], [false], [true, false]),
    seed: fc.constant(true as const),
    roles: fc.record(
      { image: some(['reference', 'depth']), video: some(['reference', 'canny']) },
      { requiredKeys: ['image'] },
    ),
    rate: cents,
    tiers: fc.uniqueArray(fc.tuple(fc.constantFrom(...RESOLUTIONS), cents), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Document>;

/** The listing of one model, computed from its documents by a rule of its own: sets, and null for an empty one. */
function expected(documents: readonly Document[]): Readonly<Record<string, unknown>> {
  const all = <T>(of: (each: Document) => readonly T[] | undefined): T[] | null => {
    const found = new Set<T>();
    let isDeclared = false;
    for (const each of documents) {
      isDeclared ||= of(each) !== undefined;
      for (const value of of(each) ?? []) found.add(value);
    }
    return isDeclared ? [...found].sort() : null;
  };
  const seconds = all(({ duration }) => {
    if (duration === undefined || !('min' in duration)) return duration?.filter(Number.isInteger);
    return [1, 2, 3, 4, 5, 6].filter((n) => n >= duration.min && n <= duration.max);
  });
  const roles = { image: all(({ roles: given }) => given?.image), video: all(({ roles: given }) => given?.video) };
  const skus: Record<string, number> = {};
  const offer = (name: string, rate: string): void => {
    skus[name] = Math.min(skus[name] ?? 9, Number(rate));
  };
  for (const { rate, tiers = [] } of documents) {
    if (rate === undefined) continue;
    offer('duration_seconds', rate);
    for (const [name, price] of tiers) offer(`duration_seconds_${name}`, price);
  }
  return {
    supported_resolutions: all(({ resolution }) => resolution),
    supported_aspect_ratios: all(({ aspect_ratio }) => aspect_ratio),
    supported_sizes: all(({ size }) => size),
    supported_durations: seconds && [...seconds].sort((a, b) => a - b),
    supported_frame_images: all(({ frame_images }) => frame_images),
    supported_reference_roles:
      roles.image === null ? null : { image: roles.image, ...(roles.video === null ? {} : { video: roles.video }) },
    generate_audio: all(({ generate_audio }) => generate_audio)?.includes(true) ?? null,
    seed: documents.some(({ seed }) => seed) ? true : null,
    pricing_skus: Object.keys(skus).length === 0 ? null : skus,
  };
}

/** The listing with its texts in order and its prices as numbers, as `expected` has them. */
function shown(documents: readonly Document[]): Readonly<Record<string, unknown>> {
  const { health, healthReason, measured, evidence } = live;
  const endpoints = documents.map((each, nth) => ({
    ...declared({ ...CLIPS, output_modalities: [outputOf(each)] }, { slug: `p${nth}`, name: `P${nth}` }),
    ...{ health, healthReason, measured, evidence },
  }));
  const [model] = listVideoModels(board(...endpoints));
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.every((each) => typeof each === 'number') ? value : [...value].sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sorted(each)]));
  };
  const { pricing_skus: skus, ...rest } = model as Readonly<Record<string, object | null>>;
  const prices = skus && Object.fromEntries(Object.entries(skus).map(([name, rate]) => [name, Number(rate)]));
  return { ...(sorted(rest) as object), pricing_skus: prices };
}

it('the listing agrees with one computed from the documents by sets (rule V14)', () => {
  // rule V14
  fc.assert(
    fc.property(fc.array(document, { minLength: 1, maxLength: 3 }), (documents) => {
      const listed = shown(documents);
      for (const [member, value] of Object.entries(expected(documents))) assert.equal(listed[member], value, member);
    }),
    { numRuns: 200 },
  );
});

test.run();
