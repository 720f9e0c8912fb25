import { Type } from 'typebox';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { objectOf } from '../../dialects/request/members.ts';

/** The envelope of every failure, as the OpenAPI document publishes it. (rule E1) */
export const envelopeSchema = Type.Object({
  error: objectOf('Why the request was refused.', {
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'Equal to the HTTP status.' }),
    message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
    metadata: Type.Object(
      { error_type: errorType },
      { additionalProperties: true, description: 'Facts for programs.' },
    ),
  }),
});
