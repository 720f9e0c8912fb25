/**
 * A JSON list of texts that are JSON already. Put together and not joined: `join` copies, and a picture in it is copied often
 * enough.
 */
export function listText<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '[';
  for (const item of items) text += text === '[' ? textOf(item) : `,${textOf(item)}`;
  return `${text}]`;
}

/** A member behind another one; nothing where it is undefined. */
export function memberText(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}
