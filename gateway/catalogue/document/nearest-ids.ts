import leven from 'leven';

const SUGGESTIONS_MAX = 3;
/** Longer ids are mistakes of another kind, and every comparison costs time. */
const ASKED_CHARACTERS_MAX = 64;
/** An id is near if at most one character in this many differs. */
const CHARACTERS_PER_EDIT = 3;

/**
 * The catalogue ids that a client may have meant, nearest first, at most three: those whose slug is the asked one, then
 * those that contain it, then those with few different characters. Letter case is ignored.
 */
export function nearestIds(asked: string, ids: Iterable<string>): readonly string[] {
  if (asked.length === 0 || asked.length > ASKED_CHARACTERS_MAX) return [];
  const wanted = asked.toLowerCase();
  const slug = slugOf(wanted);
  const ranked: { readonly id: string; readonly rank: number }[] = [];
  for (const id of ids) {
    const rank = rankOf(id.toLowerCase(), wanted, slug);
    if (rank !== null) ranked.push({ id, rank });
  }
  ranked.sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return ranked.slice(0, SUGGESTIONS_MAX).map(({ id }) => id);
}

/** 0 for the same slug, below 1 for one that contains the other, else the number of edits; null for an id too far. */
function rankOf(id: string, wanted: string, slug: string): number | null {
  const own = slugOf(id);
  if (own === slug) return 0;
  if (slug.length >= CHARACTERS_PER_EDIT && own.includes(slug)) return 1 - slug.length / own.length;
  const edits = Math.min(editsWithin(id, wanted), editsWithin(own, slug));
  return Number.isFinite(edits) ? edits : null;
}

function editsWithin(id: string, asked: string): number {
  const most = Math.floor(asked.length / CHARACTERS_PER_EDIT);
  if (Math.abs(id.length - asked.length) > most) return Number.POSITIVE_INFINITY;
  // The library answers its bound for everything beyond it.
  const edits = leven(id, asked, { maxDistance: most + 1 });
  return edits > most ? Number.POSITIVE_INFINITY : edits;
}

function slugOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}
