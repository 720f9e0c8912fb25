import { messagesDialectWords } from './messages-words.ts';
import { isUnbroken } from './numbered.ts';

/** The verdict on a messages stream, as far as it was read. */
interface MessagesVerdict {
  /** Every violation of the grammar; empty for a valid stream. */
  readonly faults: readonly string[];
  /** Every event but pings, parsed. */
  readonly events: readonly Event[];
  readonly pings: number;
  /** The `error` member of the last event. */
  readonly error: Record<string, unknown> | null;
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

interface Block {
  readonly type: string;
  text: string;
  signatures: number;
}

const { events: EVENTS, errors: ERRORS, stopReasons: STOP_REASONS } = messagesDialectWords;
/** The deltas that each kind of block may have. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
  image: [],
};
const PIECES: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
};

/**
 * Checks one messages stream, fed in pieces of any size: frames of two lines and nothing else, the order of the events,
 * contiguous indices, one open block at a time, deltas of the block's kind, arguments that parse, usage that states
 * both counts, and one end. (rule I79)
 */
export class MessagesJudge {
  readonly #faults: string[] = [];
  readonly #events: Event[] = [];
  #rest = '';
  #pings = 0;
  #state: 'before' | 'started' | 'delta' | 'stopped' | 'failed' = 'before';
  #error: Record<string, unknown> | null = null;
  #open: Block | null = null;
  #index = -1;
  readonly #inputs: string[] = [];
  #text = '';

  /** The whole text of a stream that ended. */
  static of(text: string): MessagesVerdict {
    const judge = new MessagesJudge();
    judge.feed(text);
    return judge.end();
  }

  feed(text: string): void {
    const frames = (this.#rest + text).split('\n\n');
    this.#rest = frames.pop() as string;
    for (const frame of frames) this.#frame(frame);
  }

  /** The verdict on an unfinished stream. */
  left(): MessagesVerdict {
    const broken = isUnbroken(this.#text) ? [] : [`text missing or doubled: ${brief(this.#text)}`];
    const faults = [...this.#faults, ...broken];
    return { faults, events: this.#events, pings: this.#pings, error: this.#error };
  }

  /** The stream ended by itself. */
  end(): MessagesVerdict {
    if (this.#rest !== '') this.#fault(`ends inside a frame: ${brief(this.#rest)}`);
    if (this.#state !== 'stopped' && this.#state !== 'failed') this.#fault(`ends while ${this.#state}`);
    return this.left();
  }

  #fault(fault: string): void {
    this.#faults.push(fault);
  }

  #frame(frame: string): void {
    // A line ends at a line feed only: U+2028 is a character like any other.
    const found = /^event: ([a-z_]+)\ndata: (\{[^\n]*\})$/.exec(frame);
    if (found === null || frame.includes('\r')) return void this.#fault(`not a frame: ${brief(frame)}`);
    const [, name = '', data = ''] = found;
    let event: Event;
    try {
      event = JSON.parse(data) as Event;
    } catch {
      return void this.#fault(`not JSON: ${brief(data)}`);
    }
    if (event.type !== name || !EVENTS.has(name)) return void this.#fault(`event ${name} of type ${event.type}`);
    if (this.#state === 'stopped' || this.#state === 'failed') this.#fault(`${name} after the end`);
    if (name === 'ping') {
      this.#pings++;
      return;
    }
    this.#events.push(event);
    this.#event(name, event);
  }

  #event(name: string, event: Event): void {
    if (name === 'error') return void this.#failed(event);
    if (name === 'message_start') return void this.#start(event);
    if (this.#state === 'before') this.#fault(`${name} before message_start`);
    if (name === 'message_delta') return void this.#messageDelta(event);
    if (name === 'message_stop') {
      if (this.#state !== 'delta') this.#fault('message_stop without message_delta');
      this.#state = 'stopped';
      return;
    }
    if (this.#state === 'delta') this.#fault(`${name} after message_delta`);
    if (name === 'content_block_start') this.#blockStart(event);
    else if (name === 'content_block_delta') this.#blockDelta(event);
    else this.#blockStop(event);
  }

  #start({ message }: Event): void {
    if (this.#state !== 'before') this.#fault('a second message_start');
    this.#state = 'started';
    const { id, type, role, model, content, stop_reason, stop_sequence, usage } = message as Record<string, unknown>;
    if (!/^gen-/.test(String(id)) || typeof model !== 'string') this.#fault('a message without id or model');
    if (type !== 'message' || role !== 'assistant') this.#fault(`a message of ${type} and ${role}`);
    if (!Array.isArray(content) || content.length > 0) this.#fault('content in message_start');
    if (stop_reason !== null || stop_sequence !== null) this.#fault('a stop in message_start');
    const { unreported } = this.#usage(usage);
    if (unreported.length !== 2) this.#fault('message_start does not name both counts as unreported');
  }

  #blockStart({ index, content_block: block }: Event): void {
    const { type, text, thinking, signature, input, id, name } = block as Record<string, unknown>;
    if (this.#open !== null) this.#fault(`block ${index} starts while another is open`);
    if (index !== ++this.#index) this.#fault(`index ${index} after ${this.#index - 1}`);
    if (!(String(type) in DELTAS)) this.#fault(`a block of type ${type}`);
    if (type === 'text' && text !== '') this.#fault('a text block that starts with text');
    if (type === 'thinking' && (thinking !== '' || signature !== '')) this.#fault('a thinking block that starts full');
    if (type === 'tool_use') {
      if (JSON.stringify(input) !== '{}') this.#fault(`a tool starts with ${JSON.stringify(input)}`);
      if (typeof id !== 'string' || id === '' || typeof name !== 'string') this.#fault('a tool without id or name');
    }
    this.#open = { type: String(type), text: '', signatures: 0 };
  }

  #blockDelta({ index, delta }: Event): void {
    const { type, ...members } = delta as Record<string, unknown>;
    const block = this.#open;
    if (block === null || index !== this.#index)
      return void this.#fault(`a delta of block ${index}, which is not open`);
    if (!DELTAS[block.type]?.includes(String(type))) return void this.#fault(`${type} in a block of ${block.type}`);
    const piece = members[PIECES[String(type)] as string];
    if (typeof piece !== 'string' || piece === '') this.#fault(`an empty ${type}`);
    if (block.signatures > 0) this.#fault('a delta after the signature');
    if (type === 'signature_delta') block.signatures++;
    else block.text += piece;
  }

  #blockStop({ index }: Event): void {
    if (this.#open === null || index !== this.#index) return void this.#fault(`block ${index} stops and is not open`);
    if (this.#open.type === 'text') this.#text += this.#open.text;
    if (this.#open.type === 'tool_use') this.#inputs.push(this.#open.text);
    this.#open = null;
  }

  #messageDelta({ delta, usage, honoured }: Event): void {
    if (this.#state === 'delta') this.#fault('a second message_delta');
    if (this.#open !== null) this.#fault('message_delta while a block is open');
    this.#state = 'delta';
    const { stop_reason: reason, stop_sequence: sequence } = delta as Record<string, unknown>;
    if (!STOP_REASONS.has(reason)) this.#fault(`stop_reason ${reason}`);
    if ((reason === 'stop_sequence') !== (typeof sequence === 'string')) this.#fault(`stop_sequence ${sequence}`);
    const { cost } = this.#usage(usage);
    if ((cost === undefined) !== (honoured === undefined)) this.#fault('a cost without honoured, or the reverse');
    // Only a ceiling may cut arguments.
    if (reason === 'tool_use') for (const input of this.#inputs) this.#whole(input);
  }

  #usage(usage: unknown): { readonly unreported: readonly string[]; readonly cost: unknown } {
    const { input_tokens, output_tokens, cost, heimdall } = (usage ?? {}) as Record<string, unknown>;
    const { unreported = [] } = (heimdall ?? {}) as { readonly unreported?: readonly string[] };
    for (const [name, count] of Object.entries({ input_tokens, output_tokens })) {
      if (!Number.isInteger(count) || (count as number) < 0) this.#fault(`${name} is ${count}`);
      if (unreported.includes(name) && count !== 0) this.#fault(`${name} is unreported and ${count}`);
    }
    if (heimdall !== undefined && unreported.length === 0) this.#fault('an empty list of unreported counts');
    return { unreported, cost };
  }

  #whole(input: string): void {
    try {
      const value: unknown = JSON.parse(input === '' ? '{}' : input);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) this.#fault(`input ${brief(input)}`);
    } catch {
      this.#fault(`input that does not parse: ${brief(input)}`);
    }
  }

  #failed({ error }: Event): void {
    this.#state = 'failed';
    this.#error = error as Record<string, unknown>;
    const { type, message, error_type } = this.#error;
    if (!ERRORS.has(type)) this.#fault(`an error of type ${type}`);
    if (typeof message !== 'string' || typeof error_type !== 'string') this.#fault('an error without its members');
  }
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
