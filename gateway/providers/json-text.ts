import type { MediaSource } from '../terms/turn.ts';

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

/** A medium as one URL, in JSON: its own, or a `data:` URL with its bytes. Base64 is already checked: no escapes. */
export function addressText(source: MediaSource): string {
  if (source.kind === 'url') return JSON.stringify(source.url);
  const { mediaType, base64 } = attached(source);
  const head = JSON.stringify(`data:${mediaType ?? ''};base64,`);
  return `${head.slice(0, -1)}${base64}"`;
}

/** The bytes of a part that is about to be sent. Throws for a stored file that was not read: no caller causes it. */
export function attached(source: Exclude<MediaSource, { kind: 'url' }>): MediaSource & { readonly kind: 'data' } {
  if (source.kind === 'stored') throw new Error('a stored file is sent without its bytes');
  return source;
}
