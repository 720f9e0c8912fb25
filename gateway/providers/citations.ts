import type { Citation, TurnEvent } from '../terms/turn-event.ts';
import { membersOf } from './parsed.ts';

/** Sources in one reply; further ones are dropped, since an answer is worth more than its last sources. */
const CITATIONS_MAX = 256;
const ADDRESS_CHARACTERS_MAX = 8_192;
const TITLE_CHARACTERS_MAX = 1_024;
const EXCERPT_CHARACTERS_MAX = 8_192;

type Members = Readonly<Record<string, unknown>>;

/**
 * The sources that one reply cites: `annotations` of its message, or the lists that stand beside its choices, which name
 * the sources of the marks `[1]`, `[2]` ... in order. Drops a source without a web address: another scheme can hold a
 * script. Never throws.
 */
export class Citations {
  readonly #known = new Set<string>();
  #listed: readonly unknown[] = [];
  #found: readonly unknown[] = [];

  /** Adds the events of an `annotations` member. Providers repeat entries over the chunks of a stream. */
  readAnnotations(annotations: unknown, events: TurnEvent[]): void {
    for (const annotation of listOf(annotations)) {
      const { type, url_citation: nested } = membersOf(annotation);
      if (type === 'url_citation') this.cite(membersOf(nested ?? annotation), events);
    }
  }

  /** Keeps the lists of one object until `end`: each chunk of a stream may repeat them, longer than before. */
  keep(citations: unknown, searchResults: unknown): void {
    if (Array.isArray(citations)) this.#listed = citations;
    if (Array.isArray(searchResults)) this.#found = searchResults;
  }

  /** Adds the kept sources, unless annotations have named them already. */
  end(events: TurnEvent[]): void {
    const named = this.#known.size > 0;
    const found = this.#found.slice(0, CITATIONS_MAX).map(membersOf);
    const listed = this.#listed.slice(0, CITATIONS_MAX);
    this.#listed = [];
    this.#found = [];
    if (named) return;
    if (listed.length === 0) for (const source of found) this.cite(source, events);
    for (const source of listed) {
      const url = typeof source === 'string' ? source : membersOf(source).url;
      this.cite({ ...found.find((each) => each.url === url), ...membersOf(source), url }, events);
    }
  }

  /** Adds the event of one source, unless it is known or has no web address. */
  cite(source: Members, events: TurnEvent[]): void {
    const citation = citationOf(source);
    if (citation !== null) this.add(citation, events);
  }

  add(citation: Citation, events: TurnEvent[]): void {
    if (this.#known.size >= CITATIONS_MAX) return;
    const key = `${citation.url} ${citation.passage?.start} ${citation.passage?.end}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    events.push({ type: 'citation', citation });
  }
}

/** A source with its texts cut to their bounds; null without a web address. */
export function citationOf({
  url,
  title,
  content,
  snippet,
  start_index: start,
  end_index: end,
}: Members): Citation | null {
  if (typeof url !== 'string' || url.length > ADDRESS_CHARACTERS_MAX || !/^https?:\/\/[^\s"<>\\]+$/i.test(url)) {
    return null;
  }
  const citation: { -readonly [member in keyof Citation]: Citation[member] } = { url };
  const excerpt = content ?? snippet;
  if (typeof title === 'string' && title !== '') citation.title = cut(title, TITLE_CHARACTERS_MAX);
  if (typeof excerpt === 'string' && excerpt !== '') citation.excerpt = cut(excerpt, EXCERPT_CHARACTERS_MAX);
  // Providers without places write 0 for both.
  if (isIndex(start) && isIndex(end) && start < end) citation.passage = { start, end };
  return citation;
}

/** A copy: a slice would keep the whole text in memory. */
function cut(text: string, characters: number): string {
  return text.length <= characters ? text : Buffer.from(text.slice(0, characters), 'utf16le').toString('utf16le');
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
