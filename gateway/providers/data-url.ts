import type { MediaSource } from '../terms/turn.ts';

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
