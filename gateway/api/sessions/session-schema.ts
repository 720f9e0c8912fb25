import { Type } from 'typebox';
import { described, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';

const instant = Type.String({ format: 'date-time' });

/** The published schema of `GET /sessions`. */
export const sessionListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({
        pattern: '^ses_[0-9a-f]{32}$',
        description: 'Id of the session, which DELETE /sessions/{id} takes.',
      }),
      object: Type.Literal('session', { description: 'Always `session`.' }),
      agent: Type.String({ description: "The browser's description of itself." }),
      opened_by: objectOf('What the sign-in was made with.', {
        kind: described(oneOf('key', 'operator'), 'key: the text of an API key. operator: a link of the operator.'),
        id: Type.String({ description: "Address of that key, or the name of the operator's access." }),
        address: orNull(Type.String(), 'Client address of the sign-in; null where it is unknown.'),
      }),
      created_at: described(instant, 'When the browser signed in.'),
      expires_at: described(instant, 'When the session ends by itself.'),
    }),
    { maxItems: 200, description: 'Signed-in browsers, newest first.' },
  ),
});
export const sessionsEndedSchema = Type.Object({
  deleted: Type.Literal(true, { description: 'Always true: it is gone.' }),
  ended_count: Type.Integer({ description: 'How many sessions were ended.' }),
});
