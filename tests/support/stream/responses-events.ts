import { isDeepStrictEqual } from 'node:util';
import { isUnbroken } from './numbered.ts';

type Members = Readonly<Record<string, unknown>>;

interface OpenPart {
  readonly index: number;
  readonly type: unknown;
  text: string;
  data: string;
  readonly annotations: unknown[];
}

interface OpenItem {
  readonly index: number;
  readonly id: unknown;
  readonly type: unknown;
  parts: number;
  part: OpenPart | null;
  arguments: string;
}

const FAILURES = new Set<unknown>(['invalid_prompt', 'rate_limit_exceeded', 'context_length_exceeded', 'server_error']);
const TERMINAL = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

/** The events that fill a part, by its type: the delta, and the end that repeats all of them in a member. */
const FILLS: Readonly<Record<string, readonly [delta: string, done: string, member: string]>> = {
  output_text: ['response.output_text.delta', 'response.output_text.done', 'text'],
  refusal: ['response.refusal.delta', 'response.refusal.done', 'refusal'],
  output_audio: ['response.output_audio.transcript.delta', 'response.output_audio.transcript.done', 'transcript'],
  summary_text: ['response.reasoning_summary_text.delta', 'response.reasoning_summary_text.done', 'text'],
};

/**
 * Checks the events of one responses stream, over HTTP and over a WebSocket alike: numbered without a gap; created and
 * in progress first; items and parts with contiguous indexes, one open at a time, each begun before it is filled; every
 * end repeats what its deltas add up to; one terminal event that holds every item. (rule I88)
 */
export class ResponsesEvents {
  readonly faults: string[] = [];
  readonly events: Members[] = [];
  /** The response of the terminal event. */
  final: Members | null = null;
  error: Members | null = null;
  #id: unknown = null;
  #open: OpenItem | null = null;
  readonly #done: unknown[] = [];
  #text = '';
  #reasoning = '';

  event(event: Members): void {
    const { type } = event;
    if (event.sequence_number !== this.events.length)
      this.#fault(`${type} has sequence_number ${event.sequence_number}`);
    const first = ['response.created', 'response.in_progress'][this.events.length];
    if (first !== undefined && type !== first) this.#fault(`${type} instead of ${first}`);
    if (this.final !== null) this.#fault(`${type} behind the end`);
    if (this.error !== null && type !== 'response.failed') this.#fault(`${type} behind the error`);
    this.events.push(event);
    if (typeof event.response === 'object' && event.response !== null) this.#lifecycle(type, event.response as Members);
    else if (type === 'error') this.#failed(event);
    else this.#item(String(type), event);
  }

  /** Faults of a stream that ended by itself. */
  end(usageOptional = false): readonly string[] {
    if (this.final === null) this.#fault('no terminal event');
    else if (this.final.status !== 'failed') {
      const { usage, honoured } = this.final as { usage?: { cost?: unknown; heimdall?: object }; honoured?: unknown };
      if (typeof usage?.cost !== 'number' && !usageOptional) this.#fault('usage without a cost');
      if (typeof honoured !== 'object' && !usageOptional) this.#fault('usage without honoured');
    }
    return this.left();
  }

  /** Faults so far, also of an abandoned stream: the received text must have no gap. */
  left(): readonly string[] {
    const broken = [this.#text, this.#reasoning].filter((text) => !isUnbroken(text));
    return [...this.faults, ...broken.map((text) => `text missing or doubled: ${JSON.stringify(text.slice(0, 200))}`)];
  }

  #fault(fault: string): void {
    this.faults.push(fault);
  }

  #lifecycle(type: unknown, response: Members): void {
    if (!/^resp_/.test(String(response.id))) this.#fault(`the id is ${response.id}`);
    this.#id ??= response.id;
    if (response.id !== this.#id) this.#fault('the id changes within a stream');
    if (`response.${response.status}` !== (type === 'response.created' ? 'response.in_progress' : type))
      this.#fault(`${type} with status ${response.status}`);
    const output = response.output as readonly unknown[];
    const items = this.#done.concat();
    if (!isDeepStrictEqual(output.slice(0, items.length), items)) this.#fault(`${type}: the output is not its items`);
    if (output.length > items.length + (this.#open === null ? 0 : 1)) this.#fault(`${type} with items never sent`);
    if (!TERMINAL.has(type)) return;
    this.final = response;
    if (type === 'response.failed') {
      if (this.error === null) this.#fault('response.failed without an error event');
      const { code, message } = response.error as { code: unknown; message: unknown };
      if (!FAILURES.has(code) || message !== this.error?.message) this.#fault(`response.error is ${code} ${message}`);
      return;
    }
    if (this.#open !== null) this.#fault(`${type} while an item is open`);
    if (output.length !== items.length) this.#fault(`${type} has ${output.length} of ${items.length} items`);
    const reason = (response.incomplete_details as { reason?: unknown } | null)?.reason;
    if ((type === 'response.incomplete') !== (reason !== undefined)) this.#fault(`${type} with reason ${reason}`);
  }

  #failed(event: Members): void {
    this.error = event;
    if (event.code !== null || event.param !== null || typeof event.message !== 'string')
      this.#fault(`error event: ${JSON.stringify(event)}`);
  }

  #item(type: string, event: Members): void {
    if (type === 'response.output_item.added') return void this.#begin(event);
    const open = this.#open;
    if (open === null || event.output_index !== open.index) return void this.#fault(`${type} without its item`);
    if (type === 'response.output_item.done') return void this.#complete(open, event.item as Members);
    if (event.item_id !== open.id) this.#fault(`${type} names ${event.item_id}`);
    if (type.startsWith('response.function_call_arguments.')) return void this.#arguments(type, open, event);
    this.#content(type, open, event);
  }

  #begin({ output_index: index, item }: Members): void {
    if (this.#open !== null) this.#fault('an item begins while another is open');
    if (index !== this.#done.length) this.#fault(`an item begins at ${index}`);
    const { id, type, status } = item as Members;
    if (status !== 'in_progress') this.#fault(`an item begins ${status}`);
    this.#open = { index: index as number, id, type, parts: 0, part: null, arguments: '' };
  }

  #complete(open: OpenItem, item: Members): void {
    if (open.part !== null) this.#fault('an item ends while a part is open');
    if (item.id !== open.id || item.type !== open.type) this.#fault('an item ends as another');
    if (item.status !== 'completed' && item.status !== 'incomplete') this.#fault(`an item ends ${item.status}`);
    const parts = (item.content ?? item.summary ?? []) as readonly unknown[];
    if (parts.length !== open.parts) this.#fault(`an item ends with ${parts.length} of ${open.parts} parts`);
    if (open.type === 'function_call' && item.arguments !== open.arguments) this.#fault('arguments do not add up');
    this.#done.push(item);
    this.#open = null;
  }

  #arguments(type: string, open: OpenItem, event: Members): void {
    if (type.endsWith('.delta')) open.arguments += event.delta;
    else if (event.arguments !== open.arguments) this.#fault('arguments.done does not add up');
    else if (typeof event.name !== 'string') this.#fault('arguments.done without a name');
  }

  #content(type: string, open: OpenItem, event: Members): void {
    const index = open.type === 'reasoning' ? event.summary_index : event.content_index;
    if (index !== open.parts) this.#fault(`${type} at ${index} instead of ${open.parts}`);
    if (/_part\.added$/.test(type)) return void this.#beginPart(open, event.part as Members);
    const { part } = open;
    if (part === null) return void this.#fault(`${type} without its part`);
    if (/_part\.done$/.test(type)) return void this.#completePart(open, part, event.part as Members);
    if (type === 'response.output_text.annotation.added') return void this.#cite(part, event);
    const [delta, done, member] = FILLS[String(part.type)] ?? [];
    if (type === delta) {
      part.text += event.delta;
      if (part.type === 'output_text') this.#text += event.delta;
      if (part.type === 'summary_text') this.#reasoning += event.delta;
    } else if (type === done) {
      if (event[member as string] !== part.text) this.#fault(`${type} does not add up`);
    } else if (type === 'response.output_audio.delta' && part.type === 'output_audio') part.data += event.delta;
    else if (type !== 'response.output_audio.done') this.#fault(`${type} in a part of type ${part.type}`);
    if (part.type === 'output_text' && !Array.isArray(event.logprobs)) this.#fault(`${type} without logprobs`);
  }

  #cite({ type, annotations }: OpenPart, event: Members): void {
    if (type !== 'output_text') this.#fault(`an annotation in a part of type ${type}`);
    if (event.annotation_index !== annotations.length) this.#fault(`an annotation at ${event.annotation_index}`);
    annotations.push(event.annotation);
  }

  #beginPart(open: OpenItem, part: Members): void {
    if (open.part !== null) this.#fault('a part begins while another is open');
    open.part = { index: open.parts, type: part.type, text: '', data: '', annotations: [] };
    const member = FILLS[String(part.type)]?.[2];
    if (member !== undefined && part[member] !== '') this.#fault('a part begins with its content');
  }

  #completePart(open: OpenItem, { type, text, data, annotations }: OpenPart, part: Members): void {
    if (part.type !== type) this.#fault('a part ends as another');
    const member = FILLS[String(type)]?.[2];
    if (member !== undefined && part[member] !== text) this.#fault(`a part of ${type} does not add up`);
    if (type === 'output_audio' && part.data !== data) this.#fault('speech does not add up');
    if (type === 'output_text' && !isDeepStrictEqual(part.annotations, annotations))
      this.#fault('the annotations of a text do not add up');
    open.part = null;
    open.parts++;
  }
}
