import type { MediaSource } from '../terms/turn.ts';

/** A medium as one URL, in JSON: its own, or a `data:` URL with its bytes. Base64 is already checked: no escapes. */
export function addressText(source: MediaSource): string {
  if (source.kind === 'url') return JSON.stringify(source.url);
  const head = JSON.stringify(`data:${source.mediaType ?? ''};base64,`);
  return `${head.slice(0, -1)}${source.base64}"`;
}
