/** What operators may see of data that is not an actor's context. */
import { parseAddress } from './address.ts';
import type { Json } from './event.ts';
import type { Kind } from './kind.ts';

const HIDDEN = '[redacted]';
/** A shorter text is hidden only where it is the whole value: it occurs in others by chance. */
const PART_CHARS_MIN = 8;
const OUTLINE_DEPTH_MAX = 4;
const OUTLINE_MEMBERS_MAX = 32;

/** Hides every text that the kind redacts from these contexts wherever else it occurs, also within other texts. */
export function hiderOf(kind: Kind, contexts: readonly Json[]): (value: Json) => Json {
  const secrets = new Set(contexts.flatMap((context) => hiddenTexts(kind, context)));
  const parts = [...secrets].filter(({ length }) => length >= PART_CHARS_MIN);
  const hide = (value: Json): Json => {
    if (typeof value === 'string') {
      return secrets.has(value) ? HIDDEN : parts.reduce((text, part) => text.replaceAll(part, HIDDEN), value);
    }
    return mapped(value, hide);
  };
  return secrets.size === 0 ? (value) => value : hide;
}

/** The texts of a context that its redacted form does not hold. */
function hiddenTexts(kind: Kind, context: Json): readonly string[] {
  if (context === null) return [];
  const shown = new Set(textsOf(kind.redact(context)));
  return textsOf(context).filter((text) => text !== '' && !shown.has(text));
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value as Readonly<Record<string, Json | undefined>>).flatMap(textsOf);
}

/** The shape of a message, which no kind redacts: of its texts only addresses are shown, of others their length. */
export function outlineOf(value: Json, depth = 0): Json {
  if (typeof value === 'string') return parseAddress(value) === null ? `[${value.length} characters]` : value;
  if (depth >= OUTLINE_DEPTH_MAX && typeof value === 'object' && value !== null) return '[...]';
  if (Array.isArray(value))
    return (value as Json[]).slice(0, OUTLINE_MEMBERS_MAX).map((it) => outlineOf(it, depth + 1));
  return mapped(value, (member) => outlineOf(member, depth + 1));
}

function mapped(value: Json, change: (member: Json) => Json): Json {
  if (Array.isArray(value)) return (value as Json[]).map(change);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value as Readonly<Record<string, Json | undefined>>);
  return Object.fromEntries(members.map(([name, member]) => [name, change(member ?? null)]));
}
