import { LongText } from '../../terms/long-text.ts';
import { SIGNED_THINKING } from '../../terms/turn.ts';
import type { Citation, TurnEvent } from '../../terms/turn-event.ts';
import { Citations, citationOf } from '../citations.ts';
import { IMAGES_MAX, pictureUrl } from '../json-text.ts';
import { asObject, textOf } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** Content blocks in one reply; a reply with more is invalid. */
const BLOCKS_MAX = 4_096;
const ID_CHARACTERS_MAX = 256;
/** Sources of the texts that are open at once; further ones are dropped. */
const CITED_MAX = 256;
/** Arguments in the openings of calls that are open at once. */
const INPUT_CHARACTERS_MAX = 16 * 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;

interface Block {
  readonly type: unknown;
  /** Of a text with sources: where it begins in the text of the answer, and the sources. */
  readonly from: number;
  cited: Citation[] | null;
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
  /** Thinking, calls and the text so far: of thinking its index, which tells what stood between two pieces. */
  #places = 0;
  #images = 0;
  /** Of the blocks that are open: their sources, and the characters of their arguments. */
  #cited = 0;
  #inputCharacters = 0;
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
    const block = asObject(content, 'a content block is not an object');
    if (++this.#opened > BLOCKS_MAX) throw new ProviderFailure('garbage', 'too many content blocks');
    const { type } = block;
    const thought = type === 'thinking' || type === 'redacted_thinking';
    const own = thought ? this.#places++ : 0;
    if (type === 'tool_use') {
      this.#openCall(indexOf(index), block, events);
      return;
    }
    const opened: Block = { type, own, input: null, from: this.#characters, cited: null };
    this.#open.set(indexOf(index), opened);
    if (type === 'text') {
      for (const each of Array.isArray(block.citations) ? block.citations : []) this.#keep(opened, each);
      this.#pushText(block.text, events);
    } else if (type === 'thinking') pushThought(block, own, events);
    else if (type === 'redacted_thinking')
      pushDetail({ type: 'reasoning.encrypted', data: textOf(block.data) }, own, events);
    else if (type === 'image') this.#pushImage(block.source, events);
  }

  continue(index: unknown, fragment: unknown, events: TurnEvent[]): void {
    const delta = asObject(fragment, 'a delta is not an object');
    const block = this.#open.get(indexOf(index));
    if (block === undefined) throw new ProviderFailure('garbage', 'a delta of a block that is not open');
    if (block.type === 'text') {
      if (delta.type === 'text_delta') this.#pushText(delta.text, events);
      else if (delta.type === 'citations_delta') this.#keep(block, delta.citation);
    } else if (block.type === 'thinking') pushThought(delta, block.own, events);
    else if (delta.type === 'input_json_delta') this.#pushArguments(block, delta.partial_json, events);
  }

  /**
   * Emits the arguments of the opening, or `{}`, for a call without argument fragments, and the sources of a text, which
   * support all of it.
   */
  close(index: unknown, events: TurnEvent[]): void {
    const block = this.#open.get(indexOf(index));
    this.#open.delete(indexOf(index));
    if (block?.type === 'tool_use' && block.input !== null) {
      this.#inputCharacters -= block.input.length;
      events.push({ type: 'tool-delta', index: block.own, arguments: block.input });
    }
    if (block?.cited) this.#cite(block.cited, { start: block.from, end: this.#characters }, events);
  }

  #pushText(text: unknown, events: TurnEvent[]): void {
    if (typeof text !== 'string' || text === '') return;
    if (this.#characters === 0) this.#places++;
    this.#characters += text.length;
    events.push({ type: 'text-delta', text });
  }

  /**
   * Keeps a source until its text ends, within bounds. One on the web has `url`, a result of a search that the caller
   * made has `source`.
   */
  #keep(block: Block, cited: unknown): void {
    if (this.#cited >= CITED_MAX || typeof cited !== 'object' || cited === null) return;
    const { url, source, title, cited_text: content } = cited as Members;
    const citation = citationOf({ url: url ?? source, title, content });
    if (citation === null) return;
    block.cited ??= [];
    block.cited.push(citation);
    this.#cited++;
  }

  #cite(
    cited: readonly Citation[],
    passage: { readonly start: number; readonly end: number },
    events: TurnEvent[],
  ): void {
    this.#cited -= cited.length;
    const isSome = passage.start < passage.end;
    for (const citation of cited) this.#citations.add(isSome ? { ...citation, passage } : citation, events);
  }

  #openCall(index: number, block: Members, events: TurnEvent[]): void {
    if (typeof block.name !== 'string' || block.name === '') {
      throw new ProviderFailure('garbage', 'a tool call without a name');
    }
    const own = this.calls++;
    this.#places++;
    const id = textOf(block.id).slice(0, ID_CHARACTERS_MAX) || this.#makeCallId(own);
    const input = typeof block.input === 'object' && block.input !== null ? JSON.stringify(block.input) : '{}';
    this.#inputCharacters += input.length;
    if (this.#inputCharacters > INPUT_CHARACTERS_MAX) throw new ProviderFailure('garbage', 'too long arguments');
    this.#open.set(index, { type: 'tool_use', own, input, from: 0, cited: null });
    events.push({ type: 'tool-start', index: own, id, name: block.name });
  }

  #pushArguments(block: Block, piece: unknown, events: TurnEvent[]): void {
    if (block.type !== 'tool_use' || typeof piece !== 'string' || piece === '') return;
    this.#inputCharacters -= block.input?.length ?? 0;
    block.input = null;
    events.push({ type: 'tool-delta', index: block.own, arguments: piece });
  }

  #pushImage(content: unknown, events: TurnEvent[]): void {
    const source = asObject(content, 'an image without a source');
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

function indexOf(index: unknown): number {
  if (!Number.isSafeInteger(index)) throw new ProviderFailure('garbage', 'a content block without an index');
  return index as number;
}
