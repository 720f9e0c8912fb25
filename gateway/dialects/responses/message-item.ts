import type { Citation, TurnEvent } from '../../terms/turn-event.ts';
import type { EventWriter } from './held-events.ts';
import { type ItemPlace, type ItemStatus, itemDone, type OutputItem, placeText } from './output-item.ts';
import { SpeechPart } from './speech-part.ts';
import { TextPart } from './text-part.ts';

type AudioPiece = Extract<TurnEvent, { type: 'audio-delta' }>;

/** One message of the output: content parts in the order in which they began, one open at a time. */
export class MessageItem implements OutputItem {
  readonly #writer: EventWriter;
  readonly #place: ItemPlace;
  /** Complete parts, as JSON. */
  readonly #parts: string[] = [];
  #open: TextPart | SpeechPart | null = null;
  /** Characters of speech that do not fill a group of base64 yet: they begin the next piece. */
  #unaligned = '';

  constructor(writer: EventWriter, place: ItemPlace) {
    this.#writer = writer;
    this.#place = place;
  }

  open(): string {
    return this.#writer.write(
      'response.output_item.added',
      `,"output_index":${this.#place.index},"item":${this.json('in_progress')}`,
    );
  }

  /** Text of the answer, or of its refusal. */
  say(kind: 'output_text' | 'refusal', text: string): string {
    const open = this.#open;
    if (open instanceof TextPart && open.kind === kind) return open.add(text);
    const { frames, part } = this.#openText(kind);
    return frames + part.add(text);
  }

  /** A source of the open text; without one, of an empty text. */
  cite(citation: Citation): string {
    const open = this.#open;
    if (open instanceof TextPart && open.kind === 'output_text') return open.cite(citation);
    const { frames, part } = this.#openText('output_text');
    return frames + part.cite(citation);
  }

  /** A picture is added and done in one pair. (rule I88) */
  draw(url: string): string {
    const closed = this.#closePart();
    const part = `{"type":"output_image","image_url":${JSON.stringify(url)}}`;
    const members = `${this.#partPlace()},"part":${part}`;
    this.#parts.push(part);
    return (
      closed +
      this.#writer.write('response.content_part.added', members) +
      this.#writer.write('response.content_part.done', members)
    );
  }

  speak({ id, data, transcript, expiresAt }: AudioPiece): string {
    let frames = '';
    if (!(this.#open instanceof SpeechPart)) {
      frames = this.#closePart();
      this.#open = new SpeechPart(this.#writer, this.#partPlace());
      frames += this.#open.open();
    }
    const base64 = `${this.#unaligned}${data ?? ''}`;
    const whole = base64.length - (base64.length % 4);
    this.#unaligned = base64.slice(whole);
    return frames + this.#open.add({ id, expiresAt, data: base64.slice(0, whole), transcript: transcript ?? '' });
  }

  close(status: ItemStatus): string {
    let frames = '';
    if (this.#unaligned !== '' && this.#open instanceof SpeechPart) {
      frames = this.#open.add({ data: this.#unaligned, transcript: '' });
      this.#unaligned = '';
    }
    frames += this.#closePart();
    return frames + itemDone(this.#writer, this.#place, this.json(status));
  }

  json(status: ItemStatus): string {
    const parts = this.#open === null ? this.#parts : [...this.#parts, this.#open.json];
    return `{"id":"${this.#place.id}","type":"message","status":"${status}","role":"assistant","content":[${parts.join(',')}]}`;
  }

  #openText(kind: TextPart['kind']): { readonly frames: string; readonly part: TextPart } {
    const closed = this.#closePart();
    const part = new TextPart(this.#writer, this.#partPlace(), kind);
    this.#open = part;
    return { frames: closed + part.open(), part };
  }

  #closePart(): string {
    const open = this.#open;
    if (open === null) return '';
    this.#open = null;
    this.#parts.push(open.json);
    return open.close();
  }

  #partPlace(): string {
    return `${placeText(this.#place)},"content_index":${this.#parts.length}`;
  }
}
