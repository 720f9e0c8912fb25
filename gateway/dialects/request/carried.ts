import type { Modality } from '../../../actors/terms/endpoint.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';

const STORED_FILES_MAX = 16;

/** Media that the messages of one request carry: modalities for routing, and the stored files they name. */
export class Carried {
  #input: Modality[] | null = null;
  #files: string[] | null = null;

  /** Each modality once, in order of appearance; null for text alone. */
  get input(): readonly Modality[] | null {
    return this.#input;
  }

  add(modality: Modality): void {
    if (this.#input === null) this.#input = [modality];
    else if (!this.#input.includes(modality)) this.#input.push(modality);
  }

  /** `member` names a stored file. */
  addFile(member: string): void {
    if (this.#files === null) this.#files = [member];
    else this.#files.push(member);
  }

  /** Files cannot be stored yet, so every id is unknown to the account. (spec: inference, Messages) */
  refuseFiles(): void {
    if (this.#files === null) return;
    if (this.#files.length > STORED_FILES_MAX) {
      throw invalid(`messages must name at most ${STORED_FILES_MAX} stored files`);
    }
    throw notFound(`${this.#files[0]} names no file of this account`);
  }
}
