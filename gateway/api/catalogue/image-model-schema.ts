import { Type } from 'typebox';
import { described, listOf, objectOf } from '../../dialects/request/members.ts';

const text = Type.String();
const texts = Type.Array(text);
const bound = Type.Number();

const capability = Type.Union([
  Type.Object({
    type: Type.Literal('enum', { description: 'A closed list of words.' }),
    values: described(texts, 'Words that a request may send.'),
  }),
  Type.Object({
    type: Type.Literal('range', { description: 'A number between two bounds.' }),
    min: described(bound, 'Lowest accepted value.'),
    max: described(bound, 'Highest accepted value.'),
  }),
  Type.Object({ type: Type.Literal('boolean', { description: 'true or false.' }) }),
  Type.Object({ type: Type.Literal('unknown', { description: 'Declared without saying which values it takes.' }) }),
]);

const parameters = Type.Record(text, capability, {
  description: 'The members of an image generation that live endpoints declare, and their values.',
});

/** The published schema of `GET /images/models`. */
export const imageModelListSchema = Type.Object({
  data: listOf('Models with a live endpoint that draws.', {
    id: described(text, 'Id of the model, `author/slug`, as requests name it.'),
    name: described(text, 'Name of the model, for people.'),
    description: described(text, 'What the model is good for, in the words of its declaration.'),
    created: Type.Integer({ description: 'When the model was released, Unix seconds.' }),
    architecture: objectOf('What the model reads and draws.', {
      input_modalities: described(texts, 'Kinds of content that a prompt may hold, less those that a check refuted.'),
      output_modalities: described(texts, 'Kinds of content that an answer may hold.'),
    }),
    endpoints: Type.String({ description: "Path of this model's endpoints with their prices." }),
    supported_parameters: described(parameters, 'What live endpoints accept for each member of an image request.'),
    supports_streaming: Type.Boolean({ description: 'Whether pictures can be sent as server-sent events.' }),
  }),
});

/** The published schema of `GET /images/models/:author/:slug/endpoints`. */
export const imageEndpointsSchema = Type.Object({
  id: described(text, 'Id of the model whose endpoints are listed.'),
  endpoints: listOf('Live endpoints that draw.', {
    provider_name: described(text, 'Name of the serving company, for people.'),
    provider_slug: described(text, 'Slug of the provider, as preferences name it.'),
    provider_tag: described(text, 'As `tag` of the endpoint: the slug, with the quantization where several exist.'),
    supported_parameters: described(parameters, 'What this endpoint accepts for each member of an image request.'),
    allowed_passthrough_parameters: described(texts, 'Parameters that are sent to the provider unchanged.'),
    supports_streaming: Type.Boolean({ description: 'Whether pictures can be sent as server-sent events.' }),
    pricing: listOf('What the endpoint charges, one entry for each unit.', {
      billable: Type.String({ description: 'What is charged: `output_image`, `input_image` or `input_text`.' }),
      unit: Type.String({ description: '`megapixel`, `image`, `token` or `request`.' }),
      cost_usd: Type.Number({ minimum: 0, description: 'USD per unit.' }),
    }),
  }),
});
