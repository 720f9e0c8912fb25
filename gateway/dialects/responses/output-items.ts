import { GatewayError } from '../../terms/gateway-error.ts';
import type { ReasoningDetail } from '../../terms/turn.ts';
import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import { addDetail } from '../reply/gather-answer.ts';
import { CallItem } from './call-item.ts';
import type { ClientName } from './flat-tools.ts';
import type { EventWriter } from './held-events.ts';
import { HeldEvents } from './held-events.ts';
import { MessageItem } from './message-item.ts';
import type { ItemPlace, OutputItem } from './output-item.ts';
import { ReasoningItem } from './reasoning-item.ts';

/** Characters of one answer: the last event repeats all of them, so they are kept until then. */
const OUTPUT_CHARACTERS_MAX = 64 * 1_024 * 1_024;
/** Least weight of one event, which bounds the number of items as well. */
const EVENT_CHARACTERS_MIN = 16;

type Prefix = 'msg' | 'fc' | 'rs';

/** What the items of a response take from its request. */
export interface WantedOutput {
  /** Leaves reasoning out; it is charged all the same. */
  readonly hidesReasoning: boolean;
  /** By the name under which the model knows a function: how the client knows it, where that differs. */
  readonly clientNames: ReadonlyMap<string, ClientName>;
}

/**
 * The output of one response: the events of a turn as items with contiguous indexes, one open at a time. Every method
 * returns the frames that it causes. Throws 502 beyond the bound on characters. (rule I88)
 */
export class OutputItems {
  readonly #writer: EventWriter;
  readonly #stem: string;
  readonly #wanted: WantedOutput;
  readonly #done: string[] = [];
  readonly #held = new HeldEvents();
  #open: OutputItem | null = null;
  /** Index of the open call among the calls of the turn. */
  #call = -1;
  /** Entries of the open reasoning; and those without a text that arrived behind it. */
  #details: ReasoningDetail[] = [];
  readonly #late: ReasoningDetail[] = [];
  /** The form of reasoning that is shown: providers send the same text in both. */
  #shown: 'plain' | 'details' | null = null;
  #part: string | null = null;
  #characters = 0;

  /** `stem`: what the ids of all items have in common. */
  constructor(writer: EventWriter, stem: string, wanted: WantedOutput) {
    this.#writer = writer;
    this.#stem = stem;
    this.#wanted = wanted;
  }

  /** The items so far, as JSON. */
  items(open: 'in_progress' | 'incomplete'): readonly string[] {
    return this.#open === null ? this.#done : [...this.#done, this.#open.json(open)];
  }

  add(event: TurnEvent): string {
    switch (event.type) {
      case 'tool-delta':
        return this.#addArguments(event);
      case 'text-delta':
      case 'refusal-delta':
        this.#count(event.text.length);
        break;
      case 'reasoning-delta':
        if (this.#wanted.hidesReasoning) return '';
        this.#count(event.text.length);
        break;
      case 'reasoning-detail':
        if (this.#wanted.hidesReasoning) return '';
        this.#count((event.detail.text?.length ?? 0) + (event.detail.data?.length ?? 0));
        break;
      case 'tool-start':
        this.#count(event.id.length + event.name.length);
        break;
      case 'image':
        this.#count(event.url.length);
        break;
      case 'citation':
        this.#count(event.citation.url.length + (event.citation.excerpt?.length ?? 0));
        break;
      case 'audio-delta':
        this.#count((event.data?.length ?? 0) + (event.transcript?.length ?? 0));
        break;
      default:
        return '';
    }
    return this.#waits() ? this.#hold(event) : this.#write(event);
  }

  /** Completes every item. The last one is incomplete where the answer was cut. */
  finish(reason: FinishReason): string {
    let frames = '';
    for (const event of this.#held.take()) {
      frames += event.type === 'tool-delta' ? this.#addArguments(event) : this.#write(event);
    }
    frames += this.#close(reason === 'length' || reason === 'content_filter' ? 'incomplete' : 'completed');
    if (this.#late.length === 0) return frames;
    const item = new ReasoningItem(this.#writer, this.#place('rs'), this.#late);
    this.#open = item;
    return frames + item.open() + this.#close('completed');
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#message((item) => item.say('output_text', event.text));
      case 'refusal-delta':
        return this.#message((item) => item.say('refusal', event.text));
      case 'image':
        return this.#message((item) => item.draw(String(event.url)));
      case 'citation':
        return this.#message((item) => item.cite(event.citation));
      case 'audio-delta':
        return this.#message((item) => item.speak(event));
      case 'reasoning-delta':
        return this.#think(event.text);
      case 'reasoning-detail':
        return this.#detail(event.detail);
      case 'tool-start': {
        const closed = this.#close('completed');
        const { id, name } = event;
        const client = this.#wanted.clientNames.get(name) ?? { name, namespace: null };
        const item = new CallItem(this.#writer, this.#place('fc'), id, client);
        this.#open = item;
        this.#call = event.index;
        return closed + item.open();
      }
      default:
        return '';
    }
  }

  #addArguments(event: Extract<TurnEvent, { type: 'tool-delta' }>): string {
    this.#count(event.arguments.length);
    if (this.#open instanceof CallItem && this.#call === event.index) return this.#open.add(event.arguments);
    this.#held.add(event);
    return '';
  }

  /**
   * True while the open call is incomplete. Examined for the first event behind it alone, since that parses the call.
   */
  #waits(): boolean {
    if (!(this.#open instanceof CallItem)) return false;
    return this.#held.size > 0 || !this.#open.complete;
  }

  #hold(event: TurnEvent): string {
    if (event.type === 'tool-start') this.#held.start(event);
    else this.#held.push(event);
    return '';
  }

  #message(write: (item: MessageItem) => string): string {
    if (this.#open instanceof MessageItem) return write(this.#open);
    const closed = this.#close('completed');
    const item = new MessageItem(this.#writer, this.#place('msg'));
    this.#open = item;
    return closed + item.open() + write(item);
  }

  #think(text: string): string {
    if (this.#shown === 'details') return '';
    this.#shown = 'plain';
    const opened = this.#reason();
    return opened + (this.#open as ReasoningItem).add(text);
  }

  /** A text already shown as plain reasoning is only kept, to be sent back. */
  #detail(detail: ReasoningDetail): string {
    const text = (detail.type === 'reasoning.summary' ? detail.summary : detail.text) ?? '';
    const shows = text !== '' && this.#shown !== 'plain';
    if (!shows && this.#open !== null && !(this.#open instanceof ReasoningItem)) {
      addDetail(this.#late, detail);
      return '';
    }
    let frames = this.#reason();
    addDetail(this.#details, detail);
    if (!shows) return frames;
    this.#shown = 'details';
    const item = this.#open as ReasoningItem;
    const part = `${detail.type} ${detail.index}`;
    if (this.#part !== part) frames += item.endPart();
    this.#part = part;
    return frames + item.add(text);
  }

  /** Opens reasoning unless it is open. */
  #reason(): string {
    if (this.#open instanceof ReasoningItem) return '';
    const closed = this.#close('completed');
    this.#details = [];
    this.#part = null;
    const item = new ReasoningItem(this.#writer, this.#place('rs'), this.#details);
    this.#open = item;
    return closed + item.open();
  }

  #close(status: 'completed' | 'incomplete'): string {
    const open = this.#open;
    if (open === null) return '';
    const frames = open.close(status);
    this.#done.push(open.json(status));
    this.#open = null;
    return frames;
  }

  #place(prefix: Prefix): ItemPlace {
    const index = this.#done.length;
    return { id: `${prefix}_${this.#stem}_${index}`, index };
  }

  #count(characters: number): void {
    this.#characters += Math.max(characters, EVENT_CHARACTERS_MIN);
    if (this.#characters <= OUTPUT_CHARACTERS_MAX) return;
    throw new GatewayError({
      status: 502,
      type: 'provider_unavailable',
      message: `The answer has more than ${OUTPUT_CHARACTERS_MAX} characters`,
    });
  }
}
