import { Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';

const id = Type.String({ pattern: '^\\d{12}$' });
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

const auditEntrySchema = Type.Object({
  id,
  object: Type.Literal('audit_entry'),
  sequence: Type.Integer({ minimum: 1, description: 'Without gaps.' }),
  created_at: Type.String({ format: 'date-time' }),
  action: Type.String({ description: 'Such as `key.create`, `key.limit`, `key.revoke`, `workspace.update`.' }),
  target: Type.String({ description: 'The address of what was changed.' }),
  by: Type.Object({
    kind: oneOf('operator', 'key', 'session', 'system'),
    id: Type.String(),
    address: Type.Union([Type.String(), Type.Null()], { description: 'Client address of the request.' }),
  }),
  result: oneOf('done', 'refused'),
  detail: Type.Unknown({ description: 'What changed, without secrets.' }),
  previous: hash,
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description:
      'SHA-256 of the JSON array [previous, account, sequence, time in ms, action, target, [by.kind, by.id, by.address], result, detail].',
  }),
});

/** The published schema of a page of the audit log. */
export const auditListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(auditEntrySchema),
  first_id: Type.Union([id, Type.Null()]),
  last_id: Type.Union([id, Type.Null()]),
  has_more: Type.Boolean(),
  verification: Type.Optional(
    Type.Union([
      Type.Object({ sound: Type.Literal(true), entries: Type.Integer({ minimum: 0 }) }),
      Type.Object({ sound: Type.Literal(false), sequence: Type.Integer(), reason: Type.String() }),
    ]),
  ),
});
