import type { Citation } from '../../terms/turn-event.ts';
import { citationMembers } from '../reply/citation-members.ts';
import type { EventWriter } from './held-events.ts';

/** Its two kinds: the events, and the member of the part that holds the text. */
const KINDS = {
  output_text: { event: 'response.output_text', member: 'text', after: ',"logprobs":[]' },
  refusal: { event: 'response.refusal', member: 'refusal', after: '' },
} as const;

/** Text of a message, or its refusal. */
export class TextPart {
  readonly kind: keyof typeof KINDS;
  readonly #writer: EventWriter;
  readonly #place: string;
  readonly #delta: string;
  readonly #after: string;
  readonly #annotations: string[] = [];
  #text = '';

  /** `place`: the members that name the part in its events. */
  constructor(writer: EventWriter, place: string, kind: keyof typeof KINDS) {
    this.kind = kind;
    this.#writer = writer;
    this.#place = place;
    this.#delta = `${KINDS[kind].event}.delta`;
    this.#after = KINDS[kind].after;
  }

  open(): string {
    return this.#writer.write('response.content_part.added', `${this.#place},"part":${this.json}`);
  }

  add(text: string): string {
    this.#text += text;
    return this.#writer.write(this.#delta, `${this.#place},"delta":${JSON.stringify(text)}${this.#after}`);
  }

  cite(citation: Citation): string {
    const annotation = JSON.stringify({ type: 'url_citation', ...citationMembers(citation) });
    const index = this.#annotations.push(annotation) - 1;
    return this.#writer.write(
      'response.output_text.annotation.added',
      `${this.#place},"annotation_index":${index},"annotation":${annotation}`,
    );
  }

  close(): string {
    const { event, member } = KINDS[this.kind];
    const text = `,"${member}":${JSON.stringify(this.#text)}${this.#after}`;
    return (
      this.#writer.write(`${event}.done`, this.#place + text) +
      this.#writer.write('response.content_part.done', `${this.#place},"part":${this.json}`)
    );
  }

  /** Strict clients require the lists, empty ones too. (rule I49) */
  get json(): string {
    const lists = this.kind === 'output_text' ? `,"annotations":[${this.#annotations.join(',')}],"logprobs":[]` : '';
    return `{"type":"${this.kind}","${KINDS[this.kind].member}":${JSON.stringify(this.#text)}${lists}}`;
  }
}
