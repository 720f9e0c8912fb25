import { RESPONSES_FORMAT, type ReasoningDetail } from '../../terms/turn.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { readScores } from '../chat/scores.ts';
import { Citations } from '../citations.ts';
import { membersOf, textOf } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { sealedBy } from './reasoning-items.ts';

/** Items in one response; a response with more is invalid. */
const ITEMS_MAX = 4_096;
const ID_CHARACTERS_MAX = 256;

type Members = Readonly<Record<string, unknown>>;
type PartName = 'summary' | 'content';

interface Item {
  readonly type: unknown;
  id: string | null;
  /** Index among the calls. */
  readonly call: number;
  /** A piece of it has arrived. */
  begun: boolean;
  isDone: boolean;
  /** By part: where its text begins in the text of the answer; of reasoning, the index of its entry. */
  readonly parts: Map<string, number>;
}

/**
 * The output items of one response, whole or in pieces, as events. Passes over items of other types, such as calls of
 * tools that the provider runs itself.
 */
export class ResponseItems {
  /** Function calls so far. */
  calls = 0;
  /** Entries of reasoning, calls and the text so far: of an entry its index, which tells what stood between two. */
  #places = 0;
  /** Characters of the answer's text so far. */
  #characters = 0;
  #thought = false;
  readonly #items = new Map<number, Item>();
  /** Created on first use, as the parts of an item are: most answers have no sources. */
  #citations: Citations | null = null;
  readonly #makeCallId: (index: number) => string;
  readonly #provider: string | undefined;

  /** `provider`: its slug, under which its encrypted reasoning is kept. */
  constructor(makeCallId: (index: number) => string, provider?: string) {
    this.#makeCallId = makeCallId;
    this.#provider = provider;
  }

  /** Adds the events of one event of a stream. False: it is none of an item. */
  read(type: string, frame: Members, events: TurnEvent[]): boolean {
    const at = frame.output_index;
    switch (type) {
      case 'response.output_item.added':
        this.#open(at, membersOf(frame.item), events);
        return true;
      case 'response.output_item.done':
        this.#close(at, membersOf(frame.item), events);
        return true;
      case 'response.output_text.delta':
        this.#say(this.#itemAt(at, 'message'), { ...frame, text: frame.delta }, events);
        return true;
      case 'response.refusal.delta':
        this.#refuse(this.#itemAt(at, 'message'), frame.delta, events);
        return true;
      case 'response.output_text.annotation.added':
        this.#cite(this.#itemAt(at, 'message'), frame.content_index, [frame.annotation], events);
        return true;
      case 'response.reasoning_summary_text.delta':
        this.#think(
          this.#itemAt(at, 'reasoning'),
          { name: 'summary', at: frame.summary_index, text: frame.delta },
          events,
        );
        return true;
      case 'response.reasoning_text.delta':
        this.#think(
          this.#itemAt(at, 'reasoning'),
          { name: 'content', at: frame.content_index, text: frame.delta },
          events,
        );
        return true;
      case 'response.function_call_arguments.delta':
        this.#argue(this.#callAt(at), frame.delta, events);
        return true;
      case 'response.function_call_arguments.done': {
        const call = this.#callAt(at);
        if (!call.begun) this.#argue(call, frame.arguments, events);
        return true;
      }
      default:
        return false;
    }
  }

  /** Reads the items that no event has brought. A call that has ended without arguments has none: `{}`. */
  end(output: unknown, isComplete: boolean, events: TurnEvent[]): void {
    if (!Array.isArray(output) && this.#items.size === 0) {
      throw new ProviderFailure('garbage', 'the output is not a list');
    }
    if (this.#items.size === 0)
      for (const [at, item] of (output as unknown[]).entries()) this.#close(at, membersOf(item), events);
    if (!isComplete) return;
    for (const item of this.#items.values()) {
      if (item.type === 'function_call' && !item.begun) this.#argue(item, '{}', events);
    }
  }

  #open(at: unknown, item: Members, events: TurnEvent[]): Item {
    const { type } = item;
    const index = indexOf(at);
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    if (this.#items.size >= ITEMS_MAX) throw new ProviderFailure('garbage', 'too many output items');
    const isCall = type === 'function_call';
    const opened: Item = {
      type,
      id: idOf(item),
      call: isCall ? this.calls++ : -1,
      begun: false,
      isDone: false,
      parts: new Map(),
    };
    this.#items.set(index, opened);
    if (isCall) {
      this.#places++;
      this.#call(opened, item, events);
    }
    return opened;
  }

  #call({ call }: Item, { call_id: callId, name }: Members, events: TurnEvent[]): void {
    if (typeof name !== 'string' || name === '') throw new ProviderFailure('garbage', 'a tool call without a name');
    const id = textOf(callId).slice(0, ID_CHARACTERS_MAX) || this.#makeCallId(call);
    events.push({ type: 'tool-start', index: call, id, name });
  }

  /** The whole item: what no piece of it has brought, and what only the end of it has. */
  #close(at: unknown, content: Members, events: TurnEvent[]): void {
    const item = this.#open(at, content, events);
    if (item.isDone) return;
    item.isDone = true;
    item.id ??= idOf(content);
    const isUnread = !item.begun;
    if (item.type === 'function_call' && isUnread) this.#argue(item, content.arguments, events);
    if (item.type === 'message') {
      partsOf(content.content).forEach((part, index) => {
        if (isUnread) this.#readPart(item, { ...part, content_index: index }, events);
        this.#cite(item, index, part.annotations, events);
      });
    }
    if (item.type !== 'reasoning') return;
    for (const name of ['summary', 'content'] as const) {
      if (!isUnread) break;
      for (const [index, { text }] of partsOf(content[name]).entries())
        this.#think(item, { name, at: index, text }, events);
    }
    const encrypted = textOf(content.encrypted_content);
    if (encrypted === '') return;
    const data = sealedBy(this.#provider, encrypted);
    this.#detail(item, { type: 'reasoning.encrypted', data, index: this.#places++ }, events);
  }

  #readPart(item: Item, part: Members, events: TurnEvent[]): void {
    if (part.type === 'refusal') this.#refuse(item, part.refusal, events);
    else this.#say(item, part, events);
  }

  #say(item: Item, { text, logprobs, content_index: at }: Members, events: TurnEvent[]): void {
    const said = textOf(text);
    if (said === '') return;
    item.begun = true;
    this.#startOf(item, at);
    if (this.#characters === 0) this.#places++;
    this.#characters += said.length;
    events.push({ type: 'text-delta', text: said });
    if (Array.isArray(logprobs) && logprobs.length > 0) readScores({ content: logprobs }, events);
  }

  #refuse(item: Item, text: unknown, events: TurnEvent[]): void {
    if (textOf(text) === '') return;
    item.begun = true;
    events.push({ type: 'refusal-delta', text: textOf(text) });
  }

  /** Places in a source count from the beginning of its part. */
  #cite(item: Item, at: unknown, annotations: unknown, events: TurnEvent[]): void {
    if (!Array.isArray(annotations) || annotations.length === 0) return;
    this.#citations ??= new Citations();
    const start = this.#startOf(item, at);
    for (const annotation of partsOf(annotations)) {
      if (annotation.type !== 'url_citation') continue;
      const { start_index: from, end_index: to } = annotation;
      const isPlaced = typeof from === 'number' && typeof to === 'number';
      const place = isPlaced ? { start_index: start + from, end_index: start + to } : {};
      this.#citations.cite({ ...annotation, ...place }, events);
    }
  }

  #startOf({ parts }: Item, at: unknown): number {
    const key = String(at);
    const known = parts.get(key);
    if (known !== undefined) return known;
    parts.set(key, this.#characters);
    return this.#characters;
  }

  /** Emits the plain text, with a blank line between parts, and the entry that a later request sends back. */
  #think(
    item: Item,
    { name, at, text }: { readonly name: PartName; readonly at: unknown; readonly text: unknown },
    events: TurnEvent[],
  ): void {
    const words = textOf(text);
    if (words === '') return;
    item.begun = true;
    const key = `${name} ${String(at)}`;
    let index = item.parts.get(key);
    if (index === undefined) {
      index = this.#places++;
      item.parts.set(key, index);
      if (this.#thought) events.push({ type: 'reasoning-delta', text: '\n\n' });
      this.#thought = true;
    }
    events.push({ type: 'reasoning-delta', text: words });
    const entry =
      name === 'summary'
        ? ({ type: 'reasoning.summary', summary: words, index } as const)
        : ({ type: 'reasoning.text', text: words, index } as const);
    this.#detail(item, entry, events);
  }

  #detail({ id }: Item, entry: ReasoningDetail, events: TurnEvent[]): void {
    const named = id === null ? entry : { ...entry, id };
    events.push({ type: 'reasoning-detail', detail: { ...named, format: RESPONSES_FORMAT } });
  }

  #argue(item: Item, piece: unknown, events: TurnEvent[]): void {
    if (typeof piece !== 'string' || piece === '') return;
    item.begun = true;
    events.push({ type: 'tool-delta', index: item.call, arguments: piece });
  }

  /** Servers may leave out the opening of an item that has nothing but pieces. */
  #itemAt(at: unknown, type: 'message' | 'reasoning'): Item {
    return this.#open(at, { type }, NO_EVENTS);
  }

  #callAt(at: unknown): Item {
    const item = this.#items.get(indexOf(at));
    if (item?.type !== 'function_call') throw new ProviderFailure('garbage', 'arguments of a call that is not open');
    return item;
  }
}

const NO_EVENTS: TurnEvent[] = [];

function indexOf(at: unknown): number {
  if (!Number.isSafeInteger(at)) throw new ProviderFailure('garbage', 'an output item without an index');
  return at as number;
}

function idOf({ id }: Members): string | null {
  return typeof id === 'string' && id !== '' ? id.slice(0, ID_CHARACTERS_MAX) : null;
}

function partsOf(list: unknown): readonly Members[] {
  return Array.isArray(list) ? list.map(membersOf) : [];
}
