import { Type } from 'typebox';
import { described, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const id = Type.String({ pattern: '^\\d{12}$' });
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

const auditEntrySchema = Type.Object({
  id: described(id, 'Twelve digits that grow with each entry: pass it as `after`.'),
  object: Type.Literal('audit_entry', { description: 'Always `audit_entry`.' }),
  sequence: Type.Integer({ minimum: 1, description: "Number of the entry in the account's log, from 1 without gaps." }),
  created_at: Type.String({ format: 'date-time', description: 'When the change was made.' }),
  action: Type.String({ description: 'Such as `key.create`, `key.edit`, `key.revoke`, `workspace.update`.' }),
  target: Type.String({ description: 'The address of what was changed.' }),
  by: objectOf('The principal that made the change.', {
    kind: described(
      oneOf('operator', 'key', 'session', 'system'),
      'What acted: the operator, an API key, a browser session, or the service itself.',
    ),
    id: Type.String({ description: "Address of that key or session, or the name of the operator's access." }),
    address: orNull(Type.String(), 'Client address of the request; null where there was none.'),
  }),
  result: described(oneOf('done', 'refused'), 'done, or refused where the change was not allowed.'),
  detail: Type.Unknown({ description: 'What changed, without secrets.' }),
  previous: described(hash, 'SHA-256 of the entry before; of the first one 64 zeros.'),
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description:
      'SHA-256 of the JSON array [previous, account, sequence, time in ms, action, target, [by.kind, by.id, by.address], result, detail].',
  }),
});

/** The published schema of a page of the audit log. */
export const auditListSchema = Type.Object({
  ...pageMembers('Entries of the log, newest first.', auditEntrySchema, id),
  verification: Type.Optional(
    Type.Union(
      [
        Type.Object({
          sound: Type.Literal(true, { description: 'Every checked entry carries the hash of the one before.' }),
          entries: Type.Integer({ minimum: 0, description: 'How many entries the log has had in all.' }),
          removed: Type.Integer({
            minimum: 0,
            description: 'How many of them, the oldest, have left after their retention.',
          }),
        }),
        Type.Object({
          sound: Type.Literal(false, { description: 'The chain is broken at `sequence`.' }),
          sequence: Type.Integer({ description: 'Number of the first entry that does not fit.' }),
          reason: Type.String({ description: 'What does not fit there.' }),
        }),
      ],
      { description: 'With `verify=true`: whether the hashes of the newest 10,000 entries chain.' },
    ),
  ),
});
