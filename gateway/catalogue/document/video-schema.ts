import { type Static, Type } from 'typebox';
import { CONTROL_ROLES, REFERENCE_ROLES } from '../../terms/video-request.ts';

const NAME_CHARS_MAX = 256;
const ENTRIES_MAX = 64;
const EDGE_MAX = 65_536;

const closed = { additionalProperties: false } as const;
const flag = Type.Boolean({ description: 'true or false' });
const name = Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description: 'text of 1 to 256 characters' });
const roles = rolesOf(REFERENCE_ROLES);
const edge = Type.Integer({ minimum: 1, maximum: EDGE_MAX, description: 'pixels, 1 to 65536' });
/** Numbers from 0.001 on are written without an exponent, so that their text is exact decimal text. */
const positive = Type.Number({ minimum: 0.001, maximum: 86_400, description: 'a number, 0.001 to 86400' });
const strength = Type.Number({ minimum: -100, maximum: 100, description: 'a number, -100 to 100' });

function rolesOf<const T extends string>(values: readonly T[]) {
  const role = Type.Unsafe<T>(Type.String({ enum: values, description: `one of ${values.join(', ')}` }));
  return Type.Array(role, { minItems: 1, maxItems: ENTRIES_MAX, description: 'a list of roles' });
}

const adapter = Type.Object(
  {
    id: name,
    revision: name,
    included: Type.Optional(flag),
    strength: Type.Optional(
      Type.Object({ min: strength, max: strength }, { ...closed, description: '{"min": 0, "max": 1}' }),
    ),
    combines_with: Type.Optional(
      Type.Array(name, { maxItems: ENTRIES_MAX, description: 'a list of ids of other adapters' }),
    ),
    requires_role: Type.Optional(name),
  },
  { ...closed, description: 'an adapter, such as {"id": "film", "revision": "3", "included": true}' },
);

/** Limits of the size of a picture or a video. */
export const frameSchema = Type.Object(
  {
    pixels_max: Type.Optional(Type.Integer({ minimum: 1, maximum: EDGE_MAX ** 2, description: 'a number of pixels' })),
    edge_min: Type.Optional(edge),
    edge_max: Type.Optional(edge),
    grid: Type.Optional(edge),
  },
  { ...closed, minProperties: 1, description: 'limits of the size, such as {"edge_max": 1920, "grid": 16}' },
);

/** The limits of an output modality `video`. (rule C26, rule C27) */
export const videoSchema = Type.Object(
  {
    generation: Type.Optional(
      Type.Union([Type.Literal('asynchronous'), Type.Literal('synchronous')], {
        description: 'one of asynchronous, synchronous',
      }),
    ),
    idempotent_create: Type.Optional(flag),
    prompt_required: Type.Optional(flag),
    frame: Type.Optional(frameSchema),
    max_seconds: Type.Optional(positive),
    fps: Type.Optional(
      Type.Array(positive, { minItems: 1, maxItems: ENTRIES_MAX, description: 'a list of frame rates' }),
    ),
    frame_step: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'frames, 1 to 10000' })),
    audio: Type.Optional(flag),
    references: Type.Optional(
      Type.Object(
        {
          roles: Type.Object(
            { image: Type.Optional(roles), audio: Type.Optional(roles), video: Type.Optional(roles) },
            { ...closed, minProperties: 1, description: 'role names by image, audio or video' },
          ),
          control_sets: Type.Optional(
            Type.Array(rolesOf(CONTROL_ROLES), { maxItems: ENTRIES_MAX, description: 'a list of lists of roles' }),
          ),
          items_max: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 1_000, description: 'a whole number, 1 or more' }),
          ),
        },
        { ...closed, description: 'accepted references, such as {"roles": {"image": ["reference"]}}' },
      ),
    ),
    adapters: Type.Optional(
      Type.Array(adapter, { minItems: 1, maxItems: ENTRIES_MAX, description: 'a list of adapters' }),
    ),
  },
  { ...closed, description: 'limits of the videos, such as {"max_seconds": 10, "fps": [24]}' },
);

export type DeclaredFrame = Static<typeof frameSchema>;
export type DeclaredVideo = Static<typeof videoSchema>;
