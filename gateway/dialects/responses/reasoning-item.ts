import type { ReasoningDetail } from '../../terms/turn.ts';
import type { EventWriter } from './held-events.ts';
import { type ItemPlace, type ItemStatus, itemDone, type OutputItem, placeText } from './output-item.ts';
import { sealReasoning } from './sealed-reasoning.ts';

/**
 * One stretch of reasoning of the output. All readable reasoning is shown as summary parts, since the clients of this
 * dialect show no other; what has to be sent back unchanged is `encrypted_content`, written once the item is complete.
 */
export class ReasoningItem implements OutputItem {
  readonly #writer: EventWriter;
  readonly #place: ItemPlace;
  readonly #at: string;
  readonly #parts: string[] = [];
  readonly #details: ReasoningDetail[];
  #text: string | null = null;

  /** `details` receives further entries until the item is closed. */
  constructor(writer: EventWriter, place: ItemPlace, details: ReasoningDetail[]) {
    this.#writer = writer;
    this.#place = place;
    this.#at = placeText(place);
    this.#details = details;
  }

  open(): string {
    const item = `{"id":"${this.#place.id}","type":"reasoning","summary":[],"encrypted_content":null,"status":"in_progress"}`;
    return this.#writer.write('response.output_item.added', `,"output_index":${this.#place.index},"item":${item}`);
  }

  add(text: string): string {
    let frames = '';
    if (this.#text === null) {
      this.#text = '';
      frames = this.#write('reasoning_summary_part.added', ',"part":{"type":"summary_text","text":""}');
    }
    this.#text += text;
    return frames + this.#write('reasoning_summary_text.delta', `,"delta":${JSON.stringify(text)}`);
  }

  /** Ends the part that is open, so that the next text begins another. */
  endPart(): string {
    if (this.#text === null) return '';
    const part = this.#partText();
    const text = JSON.stringify(this.#text);
    const frames =
      this.#write('reasoning_summary_text.done', `,"text":${text}`) +
      this.#write('reasoning_summary_part.done', `,"part":${part}`);
    this.#parts.push(part);
    this.#text = null;
    return frames;
  }

  close(status: ItemStatus): string {
    const frames = this.endPart();
    return frames + itemDone(this.#writer, this.#place, this.json(status));
  }

  json(status: ItemStatus): string {
    const parts = this.#text === null ? this.#parts : [...this.#parts, this.#partText()];
    const sealed = JSON.stringify(sealReasoning(this.#details));
    return `{"id":"${this.#place.id}","type":"reasoning","summary":[${parts.join(',')}],"encrypted_content":${sealed},"status":"${status}"}`;
  }

  #write(type: string, members: string): string {
    return this.#writer.write(`response.${type}`, `${this.#at},"summary_index":${this.#parts.length}${members}`);
  }

  #partText(): string {
    return `{"type":"summary_text","text":${JSON.stringify(this.#text)}}`;
  }
}
