import { Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';

const instant = Type.String({ format: 'date-time' });

/** The published schema of `GET /sessions`. */
export const sessionListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ pattern: '^ses_[0-9a-f]{32}$' }),
      object: Type.Literal('session'),
      agent: Type.String({ description: "The browser's description of itself." }),
      opened_by: Type.Object({
        kind: oneOf('key', 'operator'),
        id: Type.String(),
        address: Type.Union([Type.String(), Type.Null()]),
      }),
      created_at: instant,
      expires_at: instant,
    }),
    { maxItems: 200 },
  ),
});
export const sessionsEndedSchema = Type.Object({ deleted: Type.Literal(true), ended_count: Type.Integer() });
