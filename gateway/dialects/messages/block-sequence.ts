import type { ReasoningDetail } from '../../terms/turn.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { JsonEnd } from './json-end.ts';
import { redactedData, signatureOf } from './thinking.ts';

/** The beginning of one content block. */
export type Block =
  | { readonly type: 'text' | 'thinking' }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string }
  | { readonly type: 'image'; readonly url: string };

/** The pieces of the blocks after their beginning. */
export type Piece = 'text' | 'thinking' | 'signature' | 'input';

/** Receives the content blocks of one reply: each is started, continued and stopped before the next one starts. */
export interface BlockWriter {
  start(block: Block): void;
  add(piece: Piece, text: string): void;
  stop(): void;
}

type Mutable<T> = { -readonly [member in keyof T]: T[member] };
type ToolStart = Extract<TurnEvent, { type: 'tool-start' }>;

interface HeldCall {
  readonly call: ToolStart;
  input: string;
}

/** Parts in their order. */
interface HeldParts {
  readonly events: TurnEvent[];
  characters: number;
}

/** Characters of what waits for an incomplete call; beyond it the call is closed as it is. */
const HELD_CHARACTERS_MAX = 4 * 1024 * 1024;

/**
 * Puts the parts of an answer into the one order that the dialect allows: one open block at a time. Providers may
 * alternate the fragments of parallel calls; what arrives while a call is incomplete waits until it is complete, at the
 * latest until the end. Reasoning that comes plain and structured at once is written once. (rule I79)
 */
export class BlockSequence {
  readonly #writer: BlockWriter;
  #open: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | null = null;
  /** The open call. */
  #call = -1;
  #input = new JsonEnd();
  /** What is known of the open thinking; null for plain text. */
  #detail: Mutable<ReasoningDetail> | null = null;
  #held: (HeldCall | HeldParts)[] = [];
  readonly #heldCalls = new Map<number, HeldCall>();
  #heldCharacters = 0;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  add(events: readonly TurnEvent[]): void {
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent;
      if (event.type === 'text-delta' || event.type === 'refusal-delta') this.#text(event, event.text);
      else if (event.type === 'tool-delta') this.#toolDelta(event);
      else if (event.type === 'tool-start') this.#toolStart(event);
      else if (event.type === 'image') this.#image(event);
      else if (event.type === 'reasoning-delta' || event.type === 'reasoning-detail') {
        const end = endOfReasoning(events, at);
        this.#reasoning(events.slice(at, end));
        at = end - 1;
      }
    }
  }

  /** Closes the last block, after everything that waited. */
  end(): void {
    this.#release(true);
    this.#close();
  }

  get #waits(): boolean {
    return this.#open === 'tool_use' && !this.#input.complete;
  }

  #text(event: TurnEvent, text: string): void {
    if (text === '') return;
    if (this.#waits) {
      this.#hold([event], text.length);
      return;
    }
    if (this.#open !== 'text') this.#begin('text', { type: 'text' });
    this.#writer.add('text', text);
  }

  #image(event: Extract<TurnEvent, { type: 'image' }>): void {
    if (this.#waits) {
      this.#hold([event], event.url.length);
      return;
    }
    this.#close();
    this.#writer.start({ type: 'image', url: String(event.url) });
    this.#writer.stop();
  }

  #toolStart(event: ToolStart): void {
    if (this.#waits) {
      this.#holdCall(event);
      return;
    }
    this.#begin('tool_use', { type: 'tool_use', id: event.id, name: event.name });
    this.#call = event.index;
    this.#input = new JsonEnd();
  }

  /** A fragment of a call that is closed already cannot be sent any more, and nothing can be missing from the call. */
  #toolDelta({ index, arguments: piece }: Extract<TurnEvent, { type: 'tool-delta' }>): void {
    const held = this.#heldCalls.get(index);
    if (held !== undefined) {
      held.input += piece;
      this.#count(piece.length);
    } else if (this.#open === 'tool_use' && this.#call === index && piece !== '') {
      this.#input.feed(piece);
      this.#writer.add('input', piece);
      if (this.#held.length > 0 && this.#input.complete) this.#release(false);
    }
  }

  #reasoning(run: readonly TurnEvent[]): void {
    if (this.#waits) {
      this.#hold(
        run,
        run.reduce((sum, event) => sum + reasoningCharacters(event), 0),
      );
      return;
    }
    const structured = run.some((event) => event.type === 'reasoning-detail' && textOf(event.detail) !== '');
    for (const event of run) {
      if (event.type === 'reasoning-detail') this.#thought(event.detail);
      else if (event.type === 'reasoning-delta' && !structured) this.#plainThought(event.text);
    }
  }

  #plainThought(text: string): void {
    if (text === '') return;
    if (this.#open !== 'thinking' || this.#detail !== null) {
      this.#begin('thinking', { type: 'thinking' });
      this.#detail = null;
    }
    this.#writer.add('thinking', text);
  }

  /** Fragments of one entry share an index; an entry without one is complete. */
  #thought(detail: ReasoningDetail): void {
    const known = this.#detail;
    const isMore = known !== null && detail.index !== undefined && known.index === detail.index;
    if (detail.type === 'reasoning.encrypted') {
      // The data of a block is part of its start, so the entry is written when it is complete.
      if (this.#open === 'redacted_thinking' && isMore) join(known, detail);
      else {
        this.#close();
        this.#open = 'redacted_thinking';
        this.#detail = { ...detail };
      }
      return;
    }
    if (this.#open === 'thinking' && isMore && known.type === detail.type) join(known, detail);
    else {
      this.#begin('thinking', { type: 'thinking' });
      this.#detail = { ...detail };
    }
    const text = textOf(detail);
    if (text !== '') this.#writer.add('thinking', text);
  }

  #begin(kind: 'text' | 'thinking' | 'tool_use', block: Block): void {
    this.#close();
    this.#open = kind;
    this.#writer.start(block);
  }

  #close(): void {
    if (this.#open === null) return;
    const detail = this.#detail;
    if (this.#open === 'thinking' && detail !== null) {
      const signature = signatureOf(detail);
      if (signature !== '') this.#writer.add('signature', signature);
    } else if (this.#open === 'redacted_thinking' && detail !== null) {
      this.#writer.start({ type: 'redacted_thinking', data: redactedData(detail) });
    }
    this.#open = null;
    this.#detail = null;
    this.#writer.stop();
  }

  #hold(events: readonly TurnEvent[], characters: number): void {
    const last = this.#held.at(-1);
    if (last !== undefined && 'events' in last) {
      last.events.push(...events);
      last.characters += characters;
    } else this.#held.push({ events: [...events], characters });
    this.#count(characters);
  }

  #holdCall(call: ToolStart): void {
    const held = { call, input: '' };
    this.#held.push(held);
    this.#heldCalls.set(call.index, held);
  }

  #count(characters: number): void {
    this.#heldCharacters += characters;
    if (this.#heldCharacters > HELD_CHARACTERS_MAX) this.#release(true);
  }

  /** Writes what waited, up to the next incomplete call, or all of it. */
  #release(all: boolean): void {
    const waiting = this.#held;
    if (waiting.length === 0) return;
    let at = 0;
    this.#held = [];
    for (; at < waiting.length && (all || !this.#waits); at++) {
      if (all && this.#waits) this.#close();
      const held = waiting[at] as HeldCall | HeldParts;
      this.#heldCharacters -= 'events' in held ? held.characters : held.input.length;
      if ('events' in held) this.add(held.events);
      else this.#startHeld(held);
    }
    this.#held = waiting.slice(at);
  }

  #startHeld({ call, input }: HeldCall): void {
    this.#heldCalls.delete(call.index);
    this.#toolStart(call);
    if (input === '') return;
    this.#input.feed(input);
    this.#writer.add('input', input);
  }
}

/** The end of the run of plain and structured reasoning that arrived together. */
function endOfReasoning(events: readonly TurnEvent[], from: number): number {
  let end = from + 1;
  while (events[end]?.type === 'reasoning-delta' || events[end]?.type === 'reasoning-detail') end++;
  return end;
}

function textOf({ text, summary }: ReasoningDetail): string {
  return text ?? summary ?? '';
}

function reasoningCharacters(event: TurnEvent): number {
  if (event.type === 'reasoning-delta') return event.text.length;
  return event.type === 'reasoning-detail' ? textOf(event.detail).length + (event.detail.data?.length ?? 0) : 0;
}

function join(entry: Mutable<ReasoningDetail>, piece: ReasoningDetail): void {
  if (piece.data !== undefined) entry.data = (entry.data ?? '') + piece.data;
  if (piece.signature != null) entry.signature = piece.signature;
  if (entry.format == null && piece.format !== undefined) entry.format = piece.format;
  if (entry.id == null && piece.id !== undefined) entry.id = piece.id;
}
