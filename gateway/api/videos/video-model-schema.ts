import { Type } from 'typebox';

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const text = Type.String();
const texts = Type.Array(text);
const union = orNull(texts);

/** The published schema of `GET /videos/models`; null: no live endpoint declares it. */
export const videoModelListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      id: text,
      canonical_slug: text,
      model_hub_id: orNull(text),
      name: text,
      created: Type.Integer({ description: 'Unix seconds.' }),
      description: Type.Optional(text),
      supported_resolutions: union,
      supported_aspect_ratios: union,
      supported_sizes: union,
      supported_durations: orNull(Type.Array(Type.Integer(), { description: 'Whole seconds.' })),
      supported_frame_images: union,
      supported_reference_roles: orNull(
        Type.Object({ image: Type.Optional(texts), audio: Type.Optional(texts), video: Type.Optional(texts) }),
      ),
      generate_audio: orNull(Type.Boolean()),
      seed: orNull(Type.Boolean()),
      pricing_skus: orNull(
        Type.Record(text, text, {
          description: 'USD per second: `duration_seconds`, and with a suffix for each separately priced resolution.',
        }),
      ),
      allowed_passthrough_parameters: texts,
      upscale_factor: Type.Null(),
      creativity: Type.Null(),
    }),
  ),
});
