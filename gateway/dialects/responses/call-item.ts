import type { ClientName } from './flat-tools.ts';
import type { EventWriter } from './held-events.ts';
import { type ItemPlace, type ItemStatus, itemDone, type OutputItem, placeText } from './output-item.ts';

/** One function call of the output. */
export class CallItem implements OutputItem {
  readonly #writer: EventWriter;
  readonly #place: ItemPlace;
  readonly #at: string;
  readonly #head: string;
  readonly #name: string;
  #arguments = '';

  /** `callId` is the provider's id of the call; results name it. */
  constructor(writer: EventWriter, place: ItemPlace, callId: string, { name, namespace }: ClientName) {
    this.#writer = writer;
    this.#place = place;
    this.#at = placeText(place);
    this.#name = JSON.stringify(name);
    const id = `"id":"${place.id}","type":"function_call","call_id":${JSON.stringify(callId)}`;
    this.#head = `{${id}${namespace === null ? '' : `,"namespace":${JSON.stringify(namespace)}`},"name":${this.#name}`;
  }

  open(): string {
    return this.#writer.write(
      'response.output_item.added',
      `,"output_index":${this.#place.index},"item":${this.json('in_progress')}`,
    );
  }

  add(piece: string): string {
    this.#arguments += piece;
    return this.#writer.write('response.function_call_arguments.delta', `${this.#at},"delta":${JSON.stringify(piece)}`);
  }

  /** True for a complete JSON object: only an object can be the arguments of a call. */
  get complete(): boolean {
    if (!this.#arguments.trimEnd().endsWith('}')) return false;
    try {
      const value: unknown = JSON.parse(this.#arguments);
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    } catch {
      return false;
    }
  }

  /** A call without arguments is complete with none: clients parse the text as JSON. */
  close(status: ItemStatus): string {
    const empty = status === 'completed' && this.#arguments.trim() === '' ? this.add('{}') : '';
    const given = JSON.stringify(this.#arguments);
    return (
      empty +
      this.#writer.write(
        'response.function_call_arguments.done',
        `${this.#at},"name":${this.#name},"arguments":${given}`,
      ) +
      itemDone(this.#writer, this.#place, this.json(status))
    );
  }

  json(status: ItemStatus): string {
    return `${this.#head},"arguments":${JSON.stringify(this.#arguments)},"status":"${status}"}`;
  }
}
