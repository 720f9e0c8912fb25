import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing, ReplyFrames, ReplyHead } from '../reply/reply-dialect.ts';
import { honouredNames } from '../reply/usage-text.ts';
import { type Block, BlockSequence, type BlockWriter, type Piece } from './block-sequence.ts';
import { errorText } from './error-envelope.ts';
import { imageSource } from './parse-content.ts';
import { pathOf } from './path-of.ts';
import { type Finish, headMembers, stopMembers } from './render.ts';
import { UNREPORTED_USAGE, usageText } from './usage-text.ts';

/** Keeps an idle stream alive: clients of this dialect reset their timers on events and not on comments. */
export const PING = frame('ping', '');

/**
 * Writes one messages stream: `message_start`, each content block from its start to its stop, `message_delta` with the
 * reason, the usage and `honoured`, `message_stop`. The usage waits for the charge, so `message_delta` is written at
 * the end. An error is the last event. (rule I79)
 */
export class MessagesFrames implements ReplyFrames, BlockWriter {
  readonly #head: ReplyHead;
  readonly #stops: readonly string[];
  readonly #blocks = new BlockSequence(this);
  #state: 'before' | 'started' | 'failed' = 'before';
  #out = '';
  #index = -1;
  #finish: Finish | null = null;
  #refused = false;

  /** `stops`: `stop_sequences` of the request. */
  constructor(head: ReplyHead, stops: readonly string[]) {
    this.#head = head;
    this.#stops = stops;
  }

  of(events: readonly TurnEvent[]): string {
    const last = events.at(-1);
    if (last?.type === 'error') return this.#fail(events, last);
    this.#begin();
    for (const event of events) {
      if (event.type === 'refusal-delta') this.#refused = true;
      else if (event.type === 'finish') this.#finish = event;
    }
    this.#blocks.add(events);
    if (this.#finish !== null) this.#blocks.end();
    return this.#take();
  }

  end(closing: Closing | null): string {
    if (this.#state === 'failed') return '';
    this.#begin();
    this.#blocks.end();
    const stop = stopMembers({ finish: this.#finish, refused: this.#refused, stops: this.#stops });
    const honoured = closing === null ? '' : `,"honoured":${JSON.stringify(honouredNames(closing.honoured, pathOf))}`;
    this.#out += frame('message_delta', `,"delta":{${stop}},"usage":${usageText(closing)}${honoured}`);
    this.#out += frame('message_stop', '');
    return this.#take();
  }

  start(block: Block): void {
    this.#index++;
    this.#out += frame('content_block_start', `,"index":${this.#index},"content_block":${blockText(block)}`);
  }

  add(piece: Piece, text: string): void {
    this.#out += `${DELTA}${this.#index},"delta":${DELTAS[piece]}${JSON.stringify(text)}}}\n\n`;
  }

  stop(): void {
    this.#out += frame('content_block_stop', `,"index":${this.#index}`);
  }

  #begin(): void {
    if (this.#state !== 'before') return;
    this.#state = 'started';
    const message = `{${headMembers(this.#head)},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${UNREPORTED_USAGE}}`;
    this.#out = frame('message_start', `,"message":${message}`);
  }

  #fail(events: readonly TurnEvent[], { error }: Extract<TurnEvent, { type: 'error' }>): string {
    if (this.#state === 'failed') return '';
    const before = events.length > 1 ? this.of(events.slice(0, -1)) : '';
    this.#state = 'failed';
    return before + frame('error', `,"error":${errorText(error)}`);
  }

  #take(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }
}

const DELTA = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';
const DELTAS: Readonly<Record<Piece, string>> = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  signature: '{"type":"signature_delta","signature":',
  input: '{"type":"input_json_delta","partial_json":',
};

/** `members` begin with a comma. */
function frame(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}"${members}}\n\n`;
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return '{"type":"text","text":""}';
    case 'thinking':
      return '{"type":"thinking","thinking":"","signature":""}';
    case 'redacted_thinking':
      return `{"type":"redacted_thinking","data":${JSON.stringify(block.data)}}`;
    case 'tool_use':
      return `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":{}}`;
    case 'image':
      return `{"type":"image","source":${imageSource(block.url)}}`;
  }
}
