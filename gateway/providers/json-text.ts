/**
 * A JSON list of texts that are JSON already. Uses concatenation, because `join` copies each text and a picture is
 * large.
 */
export function listText<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '[';
  for (const item of items) text += text === '[' ? textOf(item) : `,${textOf(item)}`;
  return `${text}]`;
}

/** A member with its leading comma; empty where the value is undefined. */
export function memberText(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}
