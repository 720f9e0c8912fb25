import { Type } from 'typebox';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { objectOf } from '../../dialects/request/members.ts';

/** One event of `GET /events`, as the OpenAPI document publishes it: a change, or the error that ends the stream. */
export const feedEventSchema = Type.Union([
  Type.Object({
    type: Type.String({
      description: 'What changed, such as `batch.ended`: equal to the name of the server-sent event.',
    }),
    created_at: Type.Integer({ description: 'When the change became durable, Unix seconds.' }),
    cursor: Type.String({ description: 'Resumes a stream behind this event.' }),
    data: Type.Object({}, { additionalProperties: true, description: 'The object as its own route answers it.' }),
  }),
  Type.Object({
    type: Type.Literal('error', { description: 'The event that ends the stream: what follows is why.' }),
    error: objectOf('Why the stream ended.', {
      code: Type.Integer({ description: 'Equal to the HTTP status.' }),
      message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
      metadata: objectOf('Facts for programs.', { error_type: errorType }),
    }),
  }),
]);
