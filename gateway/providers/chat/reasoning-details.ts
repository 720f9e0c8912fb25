import type { ReasoningDetail } from '../../terms/turn.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { ProviderFailure } from '../provider-failure.ts';

const TYPES: ReadonlySet<unknown> = new Set(['reasoning.text', 'reasoning.summary', 'reasoning.encrypted']);
const ENTRIES_MAX = 4_096;

/**
 * Structured reasoning of one reply. Drops an entry of another type or with members that are not text; passes the rest
 * on unchanged. A streamed entry without an index is a fragment: it receives an index, the same for consecutive
 * fragments of one type, so that clients can join them. In a whole reply each entry is complete.
 */
export class ReasoningDetails {
  #index = 0;
  #type: string | null = null;

  /** Adds the events of a `reasoning_details` member to `events`. */
  read(entries: unknown, streamed: boolean, events: TurnEvent[]): void {
    if (entries == null) return;
    if (!Array.isArray(entries) || entries.length > ENTRIES_MAX) {
      throw new ProviderFailure('garbage', 'reasoning_details is not a list, or the list is too long');
    }
    for (const entry of entries) {
      const detail = detailOf(entry);
      if (detail === null) continue;
      events.push({ type: 'reasoning-detail', detail: streamed ? this.#indexed(detail) : detail });
    }
  }

  #indexed(detail: ReasoningDetail): ReasoningDetail {
    if (detail.index === undefined && this.#type !== null && this.#type !== detail.type) this.#index++;
    this.#type = detail.type;
    if (detail.index === undefined) return { ...detail, index: this.#index };
    this.#index = detail.index;
    return detail;
  }
}

/** The known members of an entry, type-checked; null for anything that is not an entry. */
function detailOf(entry: unknown): ReasoningDetail | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { type, text, signature, summary, data, index, format, id } = entry as Record<string, unknown>;
  if (!TYPES.has(type)) return null;
  const texts = isTextOrNull(text) && isTextOrNull(signature) && isTextOrNull(format) && isTextOrNull(id);
  if (!texts || !isText(summary) || !isText(data)) return null;
  const detail: Record<string, unknown> = { type };
  const given = { text, signature, summary, data, format, id };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) detail[name] = value;
  if (Number.isSafeInteger(index) && (index as number) >= 0) detail.index = index;
  return detail as unknown as ReasoningDetail;
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
