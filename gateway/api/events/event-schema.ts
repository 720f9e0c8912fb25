import { Type } from 'typebox';
import { errorType } from '../../dialects/reply/reply-members.ts';

/** One event of `GET /events`, as the OpenAPI document publishes it: a change, or the error that ends the stream. */
export const feedEventSchema = Type.Union([
  Type.Object({
    type: Type.String({ description: 'Equal to the name of the server-sent event.' }),
    created_at: Type.Integer({ description: 'Unix seconds.' }),
    cursor: Type.String({ description: 'Resumes a stream behind this event.' }),
    data: Type.Object({}, { additionalProperties: true, description: 'The object as its own route answers it.' }),
  }),
  Type.Object({
    type: Type.Literal('error'),
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      metadata: Type.Object({ error_type: errorType }),
    }),
  }),
]);
