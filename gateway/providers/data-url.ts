import type { MediaSource } from '../terms/turn.ts';

/** A medium as one address: its own, or a `data:` URL with its bytes. */
export function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType ?? ''};base64,${source.base64}`;
}
