import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, oneOf } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { sharedMembers } from '../request/shared-members.ts';

const REFERENCES_MAX = 16;
const PARTIAL_IMAGES_MAX = 3;

const { model, models, stream, user, provider, route } = sharedMembers;

const reference = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.String({ minLength: 1, description: 'An https:, http: or base64 data: URL.' }),
  }),
});

/**
 * The image generation request on the wire, in the forms of OpenAI and of OpenRouter: every member that Troupe reads,
 * with its bounds. Unknown members are allowed and ignored. (rule I100)
 */
export const imagesRequest = Type.Object({
  ...{ model, models, stream, user, provider, route },
  prompt: Type.String({ minLength: 1 }),
  ...parameterMembers('images'),
  input_references: maybe(
    Type.Array(reference, {
      maxItems: REFERENCES_MAX,
      description: 'Pictures that the endpoint sees beside the prompt.',
    }),
  ),
  session_id: maybe(Type.String({ maxLength: LABEL_CHARACTERS_MAX })),
  response_format: maybe(oneOf('b64_json')),
  partial_images: maybe(Type.Integer({ minimum: 0, maximum: PARTIAL_IMAGES_MAX })),
});

export type ImagesRequest = Static<typeof imagesRequest>;
