import type { Static, TSchema } from 'typebox';
import { checkOf } from '../../json/schema-check.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { LABEL_CHARACTERS_MAX } from './members.ts';
import { validationError } from './validation-error.ts';

/**
 * Checks parsed bodies against their schema; throws a 400 that names the member and its bound. A body is not changed:
 * no coercion, no defaults, nothing removed. (rule E10)
 */
export function requestCheck<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const fits = checkOf(schema);
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalid('The request body must be a JSON object');
    }
    const { model, models } = body as { readonly model?: unknown; readonly models?: unknown };
    if (model == null && (models == null || (Array.isArray(models) && models.length === 0))) {
      throw invalid('model is required');
    }
    if (!fits(body)) throw invalid(validationError(schema, body));
    return body;
  };
}

/** The settings among `names` that a request sets, under their wire names. Null and empty lists are left out. */
export function requestedSettings<T extends object>(
  body: T,
  names: readonly (keyof T & string)[],
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  // Look up our names instead of iterating the body: iterating blocked the event loop for 50 ms on the largest bodies.
  for (const name of names) {
    const value = body[name];
    if (value != null && !(Array.isArray(value) && value.length === 0)) settings[name] = value;
  }
  return settings;
}

/** A map without its null entries, which count as absent. The same map when there are none. */
export function withoutNulls<T>(map: Readonly<Record<string, T | null>>): Readonly<Record<string, T>> {
  for (const name in map) {
    if (map[name] !== null) continue;
    // Defines own members under any name, so no name can reach a prototype.
    return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null)) as Record<string, T>;
  }
  return map as Readonly<Record<string, T>>;
}

/** True when a body of any dialect asks for a stream. The rest of the body is not checked. */
export function asksStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { readonly stream?: unknown }).stream === true;
}

/** Names shown to the client; a request with more has made one mistake many times. */
const SHOWN_MAX = 16;
/** Other names would have to be escaped in a header. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The members that a dialect reads, as `unreadMembers` looks them up. */
export function membersOf(schema: { readonly properties: object }): ReadonlySet<string> {
  return new Set(Object.keys(schema.properties));
}

/**
 * The members of a body that nothing reads, in their order; null without any. Unknown members are accepted and ignored
 * (rule I2), so a misspelled one is otherwise noticed by its missing effect only. A null counts as absent.
 */
export function unreadMembers(read: ReadonlySet<string>, body: object): readonly string[] | null {
  let unread: string[] | null = null;
  for (const name in body) {
    if (read.has(name) || !Object.hasOwn(body, name) || (body as Record<string, unknown>)[name] == null) continue;
    if (!NAME.test(name)) continue;
    unread ??= [];
    if (unread.push(name) === SHOWN_MAX) return unread;
  }
  return unread;
}

/**
 * The conversation of a request: the first non-empty name in the body, in the dialect's order, else the header. Null
 * without any. (rule I125)
 */
export function conversationOf(
  named: readonly (string | null | undefined)[],
  sessionHeader: string | null,
): string | null {
  if (sessionHeader !== null && sessionHeader.length > LABEL_CHARACTERS_MAX) {
    throw invalid(`X-Session-Id must have at most ${LABEL_CHARACTERS_MAX} characters`);
  }
  return named.find(Boolean) || sessionHeader || null;
}
