import { GEMINI_FORMAT } from '../../terms/turn.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';

/**
 * Adds the thought signature of an `extra_content`, as Gemini's chat completions have it, as an encrypted entry: that of
 * a call has the call's id. Ignores anything else in it.
 */
export function pushSignature(extra: unknown, id: string | undefined, events: TurnEvent[]): void {
  const { google } = (extra ?? {}) as { readonly google?: { readonly thought_signature?: unknown } | null };
  const data = google?.thought_signature;
  if (typeof data !== 'string' || data === '') return;
  const signature = { type: 'reasoning.encrypted', data, format: GEMINI_FORMAT } as const;
  events.push({ type: 'reasoning-detail', detail: id === undefined ? signature : { ...signature, id } });
}
