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
