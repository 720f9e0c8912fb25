import type { TurnEvent } from '../../terms/turn-event.ts';

/** Largest payload of one event; larger calls arrive in ordinary fragments only. (rule I68) */
const PAYLOAD_BYTES_MAX = 64 * 1024;
/** Calls tracked in one stream, and the total characters of the incomplete ones. */
const CALLS_MAX = 1_536;
const OPEN_CHARACTERS_MAX = 4 * 1024 * 1024;
/**
 * Times that one call is parsed before the finish: without it 300 malformed calls, reparsed at every start, took 15 s.
 */
const PARSES_MAX = 4;

interface Call {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  arguments: string;
  parses: number;
  /** Characters at the last parse: the call cannot have become complete unless it has grown. */
  parsedCharacters: number;
}

/**
 * Announces the tool calls of one stream as soon as they are complete: when the next call starts, and at the finish. An
 * id is announced once. Arguments that are not a complete JSON object, and payloads over 64 KiB, arrive in ordinary
 * fragments only. A stream that breaks announces nothing more. Executes nothing. (rule I67)
 */
export class ToolDispatch {
  readonly #open = new Map<number, Call>();
  readonly #announced = new Set<string>();
  #characters = 0;

  /** Frames to send before the ordinary frame of this event; usually none. */
  before(event: TurnEvent): string {
    switch (event.type) {
      case 'tool-start':
        return this.#start(event);
      case 'tool-delta':
        this.#add(event.index, event.arguments);
        return '';
      case 'finish':
        return this.#announce(Number.POSITIVE_INFINITY);
      default:
        return '';
    }
  }

  #start({ index, id, name }: Extract<TurnEvent, { type: 'tool-start' }>): string {
    const frames = this.#announce(PARSES_MAX);
    const room = this.#open.size + this.#announced.size < CALLS_MAX;
    this.#close(index);
    if (room && !this.#announced.has(id)) {
      this.#open.set(index, { index, id, name, arguments: '', parses: 0, parsedCharacters: 0 });
    }
    return frames;
  }

  #add(index: number, piece: string): void {
    const call = this.#open.get(index);
    if (!call) return;
    call.arguments += piece;
    this.#characters += piece.length;
    if (call.arguments.length > PAYLOAD_BYTES_MAX || this.#characters > OPEN_CHARACTERS_MAX) this.#close(index);
  }

  #close(index: number): void {
    this.#characters -= this.#open.get(index)?.arguments.length ?? 0;
    this.#open.delete(index);
  }

  /** Announces all complete calls. Fragments of calls may alternate, so incomplete calls stay open. */
  #announce(parsesMax: number): string {
    let frames = '';
    for (const [index, call] of this.#open) {
      if (call.parses >= parsesMax || call.parsedCharacters === call.arguments.length) continue;
      call.parses += 1;
      call.parsedCharacters = call.arguments.length;
      if (!isComplete(call.arguments)) continue;
      this.#close(index);
      if (this.#announced.has(call.id)) continue;
      const payload = payloadOf(call);
      if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) continue;
      this.#announced.add(call.id);
      frames += `event: tool_call_dispatch\ndata: ${payload}\n\n`;
    }
    return frames;
  }
}

/** True for a complete JSON object: only an object can be the arguments of a call. */
function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function payloadOf({ index, id, name, arguments: given }: Call): string {
  const call = { index, id, type: 'function', function: { name, arguments: given } };
  return JSON.stringify({ choice_index: 0, tool_call: call });
}
