import { type TSchema, Type } from 'typebox';
import { described, orNull } from '../../dialects/request/members.ts';

/** The members of a page of a list that is read on with `after`; `words` say what it lists, and in which order. */
export const pageMembers = <T extends TSchema>(words: string, entry: T, id: TSchema) => ({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: described(Type.Array(entry), words),
  first_id: orNull(id, 'Id of the first entry of this page; null on an empty page.'),
  last_id: orNull(id, 'Id of the last entry: pass it as `after` to read on; null on an empty page.'),
  has_more: Type.Boolean({ description: 'true: another page follows `last_id`.' }),
});
