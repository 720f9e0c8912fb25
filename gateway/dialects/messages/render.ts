import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { type Block, BlockSequence, type BlockWriter, type Piece } from './block-sequence.ts';
import { imageSource } from './image-source.ts';
import { inputText } from './input-text.ts';
import { type Finish, stopMembers } from './stop-reason.ts';
import { usageText } from './usage-text.ts';

/**
 * A whole message as JSON text: the blocks that a stream of the same answer adds up to. `stops` are the request's
 * `stop_sequences`. (rule I77, rule I74)
 */
export function render(
  head: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  stops: readonly string[],
): string {
  const content = new WholeBlocks();
  const sequence = new BlockSequence(content);
  sequence.add(events);
  sequence.end();
  const finish = events.findLast((event): event is Finish => event.type === 'finish') ?? null;
  const refused = events.some(({ type }) => type === 'refusal-delta');
  const stop = stopMembers({ finish, refused, stops });
  return `{${headMembers(head)},"content":[${content.text}],${stop},"usage":${usageText(closing)}}`;
}

/** The first members of a message, whole or at the start of a stream. */
export function headMembers({ id, model, provider }: ReplyHead): string {
  return `"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(
    model,
  )},"provider":${JSON.stringify(provider)}`;
}

/** Gathers the blocks of a reply in one text. */
class WholeBlocks implements BlockWriter {
  text = '';
  #block: Block | null = null;
  #pieces: Record<Piece, string> = NO_PIECES();

  start(block: Block): void {
    this.#block = block;
    this.#pieces = NO_PIECES();
  }

  add(piece: Piece, text: string): void {
    this.#pieces[piece] += text;
  }

  stop(): void {
    if (this.#block === null) return;
    this.text += `${this.text === '' ? '' : ','}${blockText(this.#block, this.#pieces)}`;
    this.#block = null;
  }
}

const NO_PIECES = (): Record<Piece, string> => ({ text: '', thinking: '', signature: '', input: '' });

function blockText(block: Block, { text, thinking, signature, input }: Readonly<Record<Piece, string>>): string {
  switch (block.type) {
    case 'text':
      return `{"type":"text","text":${JSON.stringify(text)}}`;
    case 'thinking':
      return `{"type":"thinking","thinking":${JSON.stringify(thinking)},"signature":${JSON.stringify(signature)}}`;
    case 'redacted_thinking':
      return `{"type":"redacted_thinking","data":${JSON.stringify(block.data)}}`;
    case 'tool_use':
      return `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(
        block.name,
      )},"input":${inputText(input)}}`;
    case 'image':
      return `{"type":"image","source":${imageSource(block.url)}}`;
  }
}
