import type { TurnEvent } from '../../terms/turn-event.ts';
import { Citations } from '../citations.ts';
import { membersOf } from '../parsed.ts';

type Members = Readonly<Record<string, unknown>>;

/** Sources and passages of one answer; further ones are dropped. */
const ENTRIES_MAX = 256;

/** In a longer text no source has a place: to find one takes as long as the text. */
export const PLACED_CHARACTERS_MAX = 256 * 1024;

/** Adds the sources that an answer cites: pages that a search has found, and texts that it repeats. */
export function addCitations(candidate: Members, text: string, events: TurnEvent[]): void {
  const { groundingMetadata, citationMetadata } = candidate;
  if (groundingMetadata == null && citationMetadata == null) return;
  const citations = new Citations();
  const bytes = text.length > PLACED_CHARACTERS_MAX ? null : Buffer.from(text);
  const grounding = membersOf(groundingMetadata);
  const sources = listOf(grounding.groundingChunks).map((chunk) => sourceOf(membersOf(chunk)));
  const cited = new Set<number>();
  for (const { segment, groundingChunkIndices } of listOf(grounding.groundingSupports).map(membersOf)) {
    const { startIndex = 0, endIndex } = membersOf(segment);
    const passage = { start_index: characterAt(bytes, startIndex), end_index: characterAt(bytes, endIndex) };
    for (const index of listOf(groundingChunkIndices)) {
      const source = sources[index as number];
      if (source === undefined) continue;
      cited.add(index as number);
      citations.cite({ ...source, ...passage }, events);
    }
  }
  for (const [index, source] of sources.entries()) if (!cited.has(index)) citations.cite(source, events);
  const { citations: repeated, citationSources } = membersOf(citationMetadata);
  for (const { uri, title, startIndex = 0, endIndex } of listOf(repeated ?? citationSources).map(membersOf)) {
    const passage = { start_index: characterAt(bytes, startIndex), end_index: characterAt(bytes, endIndex) };
    citations.cite({ url: uri, title, ...passage }, events);
  }
}

function sourceOf({ web, maps, retrievedContext, image }: Members): Members {
  const { uri, title, sourceUri, text } = membersOf(web ?? maps ?? retrievedContext ?? image);
  return { url: sourceUri ?? uri, title, content: text };
}

/** The index of a character of a text by that of its first byte, in which this wire counts. */
function characterAt(text: Buffer | null, byte: unknown): number | undefined {
  if (text === null || !Number.isSafeInteger(byte) || (byte as number) < 0) return undefined;
  return text.toString('utf8', 0, byte as number).length;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES_MAX) : [];
}
