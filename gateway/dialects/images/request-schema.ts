import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, objectOf, oneOf } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { sharedMembers } from '../request/shared-members.ts';

const REFERENCES_MAX = 16;
const PARTIAL_IMAGES_MAX = 3;

const { model, models, stream, user, provider, route } = sharedMembers;

const reference = Type.Object({
  type: Type.Literal('image_url', { description: 'Always `image_url`: a picture.' }),
  image_url: objectOf('Where the picture is.', {
    url: Type.String({ minLength: 1, description: 'An https:, http: or base64 data: URL.' }),
  }),
});

/**
 * The image generation request on the wire, in the forms of OpenAI and of OpenRouter: every member that Troupe reads,
 * with its bounds. Unknown members are allowed and ignored. (rule I100)
 */
export const imagesRequest = Type.Object({
  model,
  models,
  stream,
  user,
  provider,
  route,
  prompt: Type.String({ minLength: 1, description: 'What the picture shows, at least one character.' }),
  ...parameterMembers('images'),
  input_references: maybe(
    Type.Array(reference, { maxItems: REFERENCES_MAX }),
    'Pictures that the endpoint sees beside the prompt, at most 16.',
  ),
  session_id: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'Names a conversation, at most 256 characters: its requests prefer one endpoint.',
  ),
  response_format: maybe(oneOf('b64_json'), 'Always b64_json: pictures are sent in the answer.'),
  partial_images: maybe(
    Type.Integer({ minimum: 0, maximum: PARTIAL_IMAGES_MAX }),
    'Accepted without effect: pictures arrive whole.',
  ),
});

export type ImagesRequest = Static<typeof imagesRequest>;
