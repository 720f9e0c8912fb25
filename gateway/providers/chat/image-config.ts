import type { Envelopes } from '../../../actors/terms/offer.ts';

type Config = Readonly<Record<string, unknown>>;

/**
 * How a picture is to be drawn, in the words of the endpoint that draws it: as it spells its tiers, ratios, sizes and
 * formats; a size that is the name of a tier as that tier; without what is left to the endpoint anyway. Routing has
 * seen to it that what was asked lies within the envelope. (spec: inference, `image_config`)
 */
export function imageConfig(asked: Config, envelope: Envelopes['image']): Config {
  const { resolutions = [], aspectRatios = [], sizes = [], formats = [] } = envelope ?? {};
  const spellings: Readonly<Record<string, readonly string[]>> = {
    resolution: resolutions,
    aspect_ratio: aspectRatios,
    size: sizes,
    output_format: formats,
  };
  const config: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(asked)) {
    if (value === 'auto' || (member === 'n' && value === 1)) continue;
    const tier = member === 'size' && spelled(value, sizes) === undefined ? spelled(value, resolutions) : undefined;
    if (tier === undefined) config[member] = spelled(value, spellings[member] ?? []) ?? value;
    else config.resolution = tier;
  }
  return config;
}

/** As the endpoint writes it, where letter case alone differs; undefined where it declares no such value. */
function spelled(value: unknown, declared: readonly string[]): string | undefined {
  const written = String(value).toLowerCase();
  return declared.find((word) => word.toLowerCase() === written);
}
