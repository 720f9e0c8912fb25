import type { EventWriter } from './held-events.ts';

/** A piece of generated speech. `data` is base64 in whole groups; `expiresAt` is Unix seconds. */
interface SpeechPiece {
  readonly id?: string | undefined;
  readonly data: string;
  readonly transcript: string;
  readonly expiresAt?: number | undefined;
}

/** Generated speech of a message: its bytes and its transcript. (rule I88) */
export class SpeechPart {
  readonly #writer: EventWriter;
  readonly #place: string;
  #id: string | null = null;
  #expiresAt: number | null = null;
  #data = '';
  #transcript = '';

  constructor(writer: EventWriter, place: string) {
    this.#writer = writer;
    this.#place = place;
  }

  open(): string {
    return this.#writer.write('response.content_part.added', `${this.#place},"part":${this.json}`);
  }

  add({ id, data, transcript, expiresAt }: SpeechPiece): string {
    if (id !== undefined) this.#id = id;
    if (expiresAt !== undefined) this.#expiresAt = expiresAt;
    this.#data += data;
    this.#transcript += transcript;
    // Base64 needs no escapes; searching minutes of speech for them is slow.
    const spoken =
      data === '' ? '' : this.#writer.write('response.output_audio.delta', `${this.#place},"delta":"${data}"`);
    const written =
      transcript === ''
        ? ''
        : this.#writer.write(
            'response.output_audio.transcript.delta',
            `${this.#place},"delta":${JSON.stringify(transcript)}`,
          );
    return spoken + written;
  }

  close(): string {
    return (
      this.#writer.write('response.output_audio.done', this.#place) +
      this.#writer.write(
        'response.output_audio.transcript.done',
        `${this.#place},"transcript":${JSON.stringify(this.#transcript)}`,
      ) +
      this.#writer.write('response.content_part.done', `${this.#place},"part":${this.json}`)
    );
  }

  get json(): string {
    return `{"type":"output_audio","id":${JSON.stringify(this.#id)},"data":"${this.#data}","transcript":${JSON.stringify(
      this.#transcript,
    )},"expires_at":${this.#expiresAt}}`;
  }
}
