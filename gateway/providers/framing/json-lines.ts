import { StringDecoder } from 'node:string_decoder';
import type { FrameCutter, Framing, OnFrame } from '../adapter.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** One JSON value per line. The last line needs no line feed. */
export const jsonLines: Framing = {
  type: 'application/x-ndjson',
  cutter: (onFrame, frameMax) => new LineCutter(onFrame, frameMax),
};

class LineCutter implements FrameCutter {
  readonly #onFrame: OnFrame;
  readonly #lineMax: number;
  readonly #decoder = new StringDecoder('utf8');
  /** The pieces of a line that has not ended yet, joined once. */
  #begun: string[] = [];
  #length = 0;

  constructor(onFrame: OnFrame, lineMax: number) {
    this.#onFrame = onFrame;
    this.#lineMax = lineMax;
  }

  feed(chunk: Uint8Array): void {
    const text = this.#decoder.write(chunk as Buffer);
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#add(text.slice(from, at));
      this.#emit();
      from = at + 1;
    }
    if (from < text.length) this.#add(text.slice(from));
  }

  end(): void {
    this.#emit();
  }

  #add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#lineMax) throw new ProviderFailure('garbage', 'an endless line');
    this.#begun.push(piece);
  }

  #emit(): void {
    const line = this.#begun.join('').trim();
    this.#begun = [];
    this.#length = 0;
    if (line !== '') this.#onFrame(undefined, line);
  }
}
