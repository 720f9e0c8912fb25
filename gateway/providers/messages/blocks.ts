import { LongText } from '../../terms/long-text.ts';
import { SIGNED_THINKING } from '../../terms/turn.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { Citations } from '../citations.ts';
import { IMAGES_MAX, pictureUrl } from '../json-text.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** Content blocks in one reply; a reply with more is invalid. */
const BLOCKS_MAX = 4_096;
const ID_CHARACTERS_MAX = 256;
/** Sources of one text; further ones are dropped. */
const CITED_MAX = 256;

type Members = Readonly<Record<string, unknown>>;

interface Block {
  readonly type: unknown;
  /** Of a text with sources: where it begins in the text of the answer, and the sources. */
  readonly from: number;
  cited: unknown[] | null;
  /** Index among the calls, or among the pieces of reasoning. */
  readonly own: number;
  /** Of a call: its arguments in the opening; null once a fragment of them arrives. */
  input: string | null;
}

/**
 * The content blocks of one reply, whole or opened, continued and closed, as events. Ignores blocks of other types, such
 * as the calls of tools that the provider runs itself and their results.
 */
export class ContentBlocks {
  /** Tool calls so far. */
  calls = 0;
  #opened = 0;
  #thoughts = 0;
  #images = 0;
  /** Characters of the answer's text so far. */
  #characters = 0;
  readonly #citations = new Citations();
  readonly #open = new Map<number, Block>();
  readonly #makeCallId: (index: number) => string;

  constructor(makeCallId: (index: number) => string) {
    this.#makeCallId = makeCallId;
  }

  /** One block of a whole answer. */
  read(content: unknown, events: TurnEvent[]): void {
    this.open(0, content, events);
    this.close(0, events);
  }

  open(index: unknown, content: unknown, events: TurnEvent[]): void {
    const block = membersOf(content, 'a content block is not an object');
    if (++this.#opened > BLOCKS_MAX) throw new ProviderFailure('garbage', 'too many content blocks');
    const { type } = block;
    const thought = type === 'thinking' || type === 'redacted_thinking';
    const own = thought ? this.#thoughts++ : 0;
    if (type === 'tool_use') {
      this.#openCall(indexOf(index), block, events);
      return;
    }
    const cited = type === 'text' && Array.isArray(block.citations) ? block.citations.slice(0, CITED_MAX) : null;
    this.#open.set(indexOf(index), { type, own, input: null, from: this.#characters, cited });
    if (type === 'text') this.#pushText(block.text, events);
    else if (type === 'thinking') pushThought(block, own, events);
    else if (type === 'redacted_thinking')
      pushDetail({ type: 'reasoning.encrypted', data: textOf(block.data) }, own, events);
    else if (type === 'image') this.#pushImage(block.source, events);
  }

  continue(index: unknown, fragment: unknown, events: TurnEvent[]): void {
    const delta = membersOf(fragment, 'a delta is not an object');
    const block = this.#open.get(indexOf(index));
    if (block === undefined) throw new ProviderFailure('garbage', 'a delta of a block that is not open');
    if (block.type === 'text') {
      if (delta.type === 'text_delta') this.#pushText(delta.text, events);
      else if (delta.type === 'citations_delta' && (block.cited?.length ?? 0) < CITED_MAX) {
        block.cited ??= [];
        block.cited.push(delta.citation);
      }
    } else if (block.type === 'thinking') pushThought(delta, block.own, events);
    else if (delta.type === 'input_json_delta') pushArguments(block, delta.partial_json, events);
  }

  /**
   * Emits the arguments of the opening, or `{}`, for a call without argument fragments, and the sources of a text, which
   * support all of it.
   */
  close(index: unknown, events: TurnEvent[]): void {
    const block = this.#open.get(indexOf(index));
    this.#open.delete(indexOf(index));
    if (block?.type === 'tool_use' && block.input !== null) {
      events.push({ type: 'tool-delta', index: block.own, arguments: block.input });
    }
    if (block?.cited) this.#cite(block.cited, { start: block.from, end: this.#characters }, events);
  }

  #pushText(text: unknown, events: TurnEvent[]): void {
    if (typeof text !== 'string' || text === '') return;
    this.#characters += text.length;
    events.push({ type: 'text-delta', text });
  }

  /** A source on the web has `url`, a result of a search that the caller made has `source`. */
  #cite(cited: readonly unknown[], { start, end }: { start: number; end: number }, events: TurnEvent[]): void {
    for (const citation of cited) {
      if (typeof citation !== 'object' || citation === null) continue;
      const { url, source, title, cited_text: content } = citation as Members;
      this.#citations.cite({ url: url ?? source, title, content, start_index: start, end_index: end }, events);
    }
  }

  #openCall(index: number, block: Members, events: TurnEvent[]): void {
    if (typeof block.name !== 'string' || block.name === '') {
      throw new ProviderFailure('garbage', 'a tool call without a name');
    }
    const own = this.calls++;
    const id = textOf(block.id).slice(0, ID_CHARACTERS_MAX) || this.#makeCallId(own);
    const input = typeof block.input === 'object' && block.input !== null ? JSON.stringify(block.input) : '{}';
    this.#open.set(index, { type: 'tool_use', own, input, from: 0, cited: null });
    events.push({ type: 'tool-start', index: own, id, name: block.name });
  }

  #pushImage(content: unknown, events: TurnEvent[]): void {
    const source = membersOf(content, 'an image without a source');
    if (this.#images >= IMAGES_MAX) throw new ProviderFailure('garbage', 'too many images');
    events.push({ type: 'image', url: pictureUrl(addressOf(source)), index: this.#images++ });
  }
}

function addressOf({ type, media_type: mediaType, data, url }: Members): unknown {
  if (type !== 'base64') return url;
  const head = `data:${textOf(mediaType)};base64,`;
  return data instanceof LongText ? data.startingWith(head) : head + textOf(data);
}

/** Emits the plain text and the structured piece that a later request can send back. */
function pushThought({ thinking, signature }: Members, own: number, events: TurnEvent[]): void {
  const text = textOf(thinking);
  const signed = textOf(signature);
  if (text !== '') events.push({ type: 'reasoning-delta', text });
  if (text === '' && signed === '') return;
  const members = { ...(text === '' ? {} : { text }), ...(signed === '' ? {} : { signature: signed }) };
  pushDetail({ type: 'reasoning.text', ...members }, own, events);
}

function pushDetail(
  detail: { readonly type: 'reasoning.text' | 'reasoning.encrypted'; readonly data?: string },
  index: number,
  events: TurnEvent[],
): void {
  events.push({ type: 'reasoning-detail', detail: { ...detail, format: SIGNED_THINKING, index } });
}

function pushArguments(block: Block, piece: unknown, events: TurnEvent[]): void {
  if (block.type !== 'tool_use' || typeof piece !== 'string' || piece === '') return;
  block.input = null;
  events.push({ type: 'tool-delta', index: block.own, arguments: piece });
}

function indexOf(index: unknown): number {
  if (!Number.isSafeInteger(index)) throw new ProviderFailure('garbage', 'a content block without an index');
  return index as number;
}

function membersOf(value: unknown, message: string): Members {
  if (typeof value !== 'object' || value === null) throw new ProviderFailure('garbage', message);
  return value as Members;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
