import { Type } from '@sinclair/typebox';

const text = Type.String();
const texts = Type.Array(text);
const bound = Type.Number();

const capability = Type.Union([
  Type.Object({ type: Type.Literal('enum'), values: texts }),
  Type.Object({ type: Type.Literal('range'), min: bound, max: bound }),
  Type.Object({ type: Type.Literal('boolean') }),
  Type.Object({ type: Type.Literal('unknown') }),
]);

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
      supported_parameters: Type.Record(text, capability, {
        description: 'The members of an image generation that some live endpoint declares, and their values.',
      }),
      supports_streaming: Type.Boolean(),
    }),
  ),
});
