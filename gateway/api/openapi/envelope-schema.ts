import { Type } from 'typebox';
import { errorType } from '../../dialects/reply/reply-members.ts';

/** The envelope of every failure, as the OpenAPI document publishes it. (rule E1) */
export const envelopeSchema = Type.Object({
  error: Type.Object({
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'Equal to the HTTP status.' }),
    message: Type.String({ description: 'For humans; not a contract.' }),
    metadata: Type.Object({ error_type: errorType }, { additionalProperties: true }),
  }),
});
