/**
 * Lists of the operator port: `{ data, next }`, continued by an opaque cursor that holds the keyset of the last row, so
 * that a page costs the same at every depth.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { isInvalid } from './operator-route.ts';

const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const CURSOR_CHARACTERS_MAX = 2_048;

const PAGE_MEMBERS = {
  cursor: Type.Optional(
    Type.String({ maxLength: CURSOR_CHARACTERS_MAX, description: '`next` of the page before; absent: the first page' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `entries of a page; ${PAGE_DEFAULT} if absent` }),
  ),
};

/** The query of a list: its own members, `cursor` and `limit`. */
export function listQuery<Members extends TProperties>(members: Members) {
  return Type.Object({ ...members, ...PAGE_MEMBERS });
}

/** The answer of a list. */
export function listOf<Entry extends TSchema>(entry: Entry) {
  return Type.Object({ data: Type.Array(entry), next: Type.Union([Type.String(), Type.Null()]) });
}

interface PageRequest {
  readonly cursor?: string;
  readonly limit?: number;
}

interface Page<Keyset> {
  readonly limit: number;
  /** The keyset of the last row of the page before; null for the first page. */
  readonly after: Keyset | null;
}

/** What a list is to read. Throws 400 for a cursor of another list. */
export function pageOf<Keyset extends TObject>(query: PageRequest, keyset: Keyset): Page<Static<Keyset>> {
  const { cursor, limit = PAGE_DEFAULT } = query;
  if (cursor === undefined) return { limit, after: null };
  const after = decoded(cursor);
  if (!Check(keyset, after)) throw isInvalid('cursor', 'is not the cursor of a page of this list');
  return { limit, after };
}

/** A page of at most `limit` rows of up to `limit + 1` that were read; the one beyond tells that another page follows. */
export function listed<Row, Entry>(
  rows: readonly Row[],
  limit: number,
  { keyOf, entryOf }: { readonly keyOf: (row: Row) => object; readonly entryOf: (row: Row) => Entry },
): { readonly data: readonly Entry[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encoded(keyOf(last)) : null;
  return { data: shown.map(entryOf), next };
}

/** A page of a walk, which knows itself where the next one continues. */
export function walked<Entry>(data: readonly Entry[], next: object | null) {
  return { data, next: next === null ? null : encoded(next) };
}

function encoded(keyset: object): string {
  return Buffer.from(JSON.stringify(keyset)).toString('base64url');
}

/** Null for a text that no page has as its cursor. */
function decoded(cursor: string): unknown {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  try {
    return text.includes('\\u0000') ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
