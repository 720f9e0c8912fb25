import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { VocabularyName } from './vocabulary.ts';

/** Shorter texts are counted as fast as they are looked up; the digest of a longer one would stall the event loop. */
const CHARACTERS_MIN = 16;
const CHARACTERS_MAX = 256 * 1_024;
/** Longer texts have a cache of their own: there are fewer of them, and each count takes longer. */
const SHORT_CHARACTERS_MAX = 1_024;
/** Of each cache; 200 bytes each. */
const TEXTS_MAX = 16_384;

/**
 * The tokens of texts that were counted before, by their digest: a conversation repeats its messages with every turn,
 * and an application its instructions. Module state because a count never changes.
 */
const shortCounts = new LRUCache<string, number>({ max: TEXTS_MAX });
const longCounts = new LRUCache<string, number>({ max: TEXTS_MAX });

/** Where the count of a text is remembered; null for a text that is not remembered. */
export function countsFor(text: string): LRUCache<string, number> | null {
  if (text.length < CHARACTERS_MIN || text.length > CHARACTERS_MAX) return null;
  return text.length > SHORT_CHARACTERS_MAX ? longCounts : shortCounts;
}

/** What a text is remembered under. */
export function countKey(vocabulary: VocabularyName, text: string): string {
  return `${vocabulary} ${hash('sha256', text, 'base64')}`;
}
