import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing, ReplyHead } from '../reply/reply-dialect.ts';
import { type Block, BlockSequence, type BlockWriter, type Piece } from './block-sequence.ts';
import { imageSource } from './parse-content.ts';
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

/**
 * The `input` of a whole tool call: its arguments, digit for digit. A text that is no JSON object, which a model may
 * write or a ceiling may cut, becomes the value of one member, since the dialect has no other form.
 */
function inputText(given: string): string {
  const text = given.trim();
  if (text === '') return '{}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Not JSON.
  }
  return JSON.stringify({ arguments: given });
}

export type Finish = Extract<TurnEvent, { type: 'finish' }>;

/** How an answer ended. */
interface Ending {
  /** Null for an answer without a finish. */
  readonly finish: Finish | null;
  /** It had words of a refusal. */
  readonly refused: boolean;
  /** `stop_sequences` of the request. */
  readonly stops: readonly string[];
}

const WINDOW_EXCEEDED = 'model_context_window_exceeded';
/** The provider paused a long turn with tools of its own: the caller sends the answer back, and it continues. */
const PAUSED = 'pause_turn';
const STOP_SEQUENCE = 'stop_sequence';
const REFUSAL = 'refusal';

/** The members `stop_reason`, `stop_sequence` and, where the provider states them, `stop_details` as JSON text. (rule I81) */
export function stopMembers(ending: Ending): string {
  const reason = reasonOf(ending);
  const sequence = reason === STOP_SEQUENCE ? matched(ending) : null;
  const members = `"stop_reason":"${reason}","stop_sequence":${JSON.stringify(sequence)}`;
  const refused = ending.finish?.refused;
  if (reason !== REFUSAL || refused === undefined) return members;
  return `${members},"stop_details":${JSON.stringify({ type: REFUSAL, ...refused })}`;
}

function reasonOf(ending: Ending): string {
  const { finish, refused } = ending;
  switch (finish?.reason) {
    case 'length':
      return finish.native === WINDOW_EXCEEDED ? WINDOW_EXCEEDED : 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return REFUSAL;
    default:
      if (refused) return REFUSAL;
      if (finish?.native === PAUSED) return PAUSED;
      return matched(ending) === null ? 'end_turn' : STOP_SEQUENCE;
  }
}

/** The sequence that the provider names, or the only one where it says that one ended the answer. */
function matched({ finish, stops }: Ending): string | null {
  const named = finish?.stopSequence;
  if (named !== undefined && stops.includes(named)) return named;
  return finish?.native === STOP_SEQUENCE && stops.length === 1 ? (stops[0] as string) : null;
}
