import type { TurnEvent } from '../../terms/turn-event.ts';

/** Largest payload of one event; a larger call is left to the ordinary fragments. (spec: inference, Limits) */
const PAYLOAD_BYTES_MAX = 64 * 1024;
/** Calls looked at in one stream, and the characters of those that are not whole yet. */
const CALLS_MAX = 1_536;
const OPEN_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Times that one call is parsed before the finish: 300 broken ones, each looked at with every other, took 15 s. */
const LOOKS_MAX = 4;

interface Call {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  arguments: string;
  looks: number;
  /** Characters at the last look: it is no more whole now unless it has grown. */
  looked: number;
}

/**
 * Announces tool calls of one stream as soon as they are whole: when the next call starts, and at the finish. A call is
 * announced once, whatever comes again under its id; arguments that are no whole JSON object, and payloads over 64 KiB,
 * are left to the ordinary fragments. A stream that breaks announces nothing more. It executes nothing.
 * (spec: inference, Call-ready tool dispatch)
 */
export class ToolDispatch {
  readonly #open = new Map<number, Call>();
  readonly #announced = new Set<string>();
  #characters = 0;

  /** Frames to be sent before the ordinary one of this event; mostly none. */
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
    const frames = this.#announce(LOOKS_MAX);
    const room = this.#open.size + this.#announced.size < CALLS_MAX;
    this.#close(index);
    if (room && !this.#announced.has(id)) {
      this.#open.set(index, { index, id, name, arguments: '', looks: 0, looked: 0 });
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

  /** All that are whole by now; a call whose fragments alternate with those of another one may still grow. */
  #announce(looksMax: number): string {
    let frames = '';
    for (const [index, call] of this.#open) {
      if (call.looks >= looksMax || call.looked === call.arguments.length) continue;
      call.looks += 1;
      call.looked = call.arguments.length;
      if (!isWhole(call.arguments)) continue;
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

/** Arguments are the members of an object; the text of anything else is no call that could run. */
function isWhole(text: string): boolean {
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
