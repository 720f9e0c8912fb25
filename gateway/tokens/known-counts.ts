import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { VocabularyName } from './vocabulary.ts';

/** Shorter texts are counted as fast as they are looked up; the digest of a longer one would stall the event loop. */
const CHARACTERS_MIN = 1_024;
const CHARACTERS_MAX = 256 * 1_024;
/** 200 bytes each. */
const TEXTS_MAX = 16_384;

/**
 * The tokens of texts that were counted before, by their digest: a conversation repeats its messages with every turn, and
 * an agent its instructions and files. Module state because a count never changes.
 */
const counts = new LRUCache<string, number>({ max: TEXTS_MAX });

/** What a text is remembered under; null for a text that is not remembered. */
export function countKey(vocabulary: VocabularyName, text: string): string | null {
  if (text.length < CHARACTERS_MIN || text.length > CHARACTERS_MAX) return null;
  return `${vocabulary} ${hash('sha256', text, 'base64')}`;
}

export function knownCount(key: string | null): number | undefined {
  return key === null ? undefined : counts.get(key);
}

export function rememberCount(key: string | null, tokens: number): void {
  if (key !== null) counts.set(key, tokens);
}
