import { Type } from 'typebox';

const text = Type.String();
const texts = Type.Array(text);
const bound = Type.Number();

const capability = Type.Union([
  Type.Object({ type: Type.Literal('enum'), values: texts }),
  Type.Object({ type: Type.Literal('range'), min: bound, max: bound }),
  Type.Object({ type: Type.Literal('boolean') }),
  Type.Object({ type: Type.Literal('unknown') }),
]);

const parameters = Type.Record(text, capability, {
  description: 'The members of an image generation that live endpoints declare, and their values.',
});

/** The published schema of `GET /images/models`. */
export const imageModelListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      id: text,
      name: text,
      description: text,
      created: Type.Integer({ description: 'Unix seconds.' }),
      architecture: Type.Object({ input_modalities: texts, output_modalities: texts }),
      endpoints: Type.String({ description: 'Address of the endpoints, with their prices.' }),
      supported_parameters: parameters,
      supports_streaming: Type.Boolean(),
    }),
  ),
});

/** The published schema of `GET /images/models/:author/:slug/endpoints`. */
export const imageEndpointsSchema = Type.Object({
  id: text,
  endpoints: Type.Array(
    Type.Object({
      provider_name: text,
      provider_slug: text,
      provider_tag: text,
      supported_parameters: parameters,
      allowed_passthrough_parameters: texts,
      supports_streaming: Type.Boolean(),
      pricing: Type.Array(
        Type.Object({
          billable: Type.String({ description: 'What is charged: `output_image`, `input_image` or `input_text`.' }),
          unit: Type.String({ description: '`megapixel`, `image`, `token` or `request`.' }),
          cost_usd: Type.Number({ minimum: 0, description: 'USD per unit.' }),
        }),
      ),
    }),
  ),
});
