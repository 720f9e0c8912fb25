import type { Modality } from '../../../actors/terms/endpoint.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { FileReference, MediaPart, ToolCall } from '../../terms/turn.ts';

/** Stored files that one request names. (rule I4) */
const STORED_FILES_MAX = 16;

/**
 * What the messages of one request carry beside text: modalities for routing, the stored files they name, and the tool
 * calls that results answer.
 */
export class Carried {
  #input: Modality[] | null = null;
  #files: FileReference[] | null = null;
  /** Names of the called tools, by id of the call. */
  #called: Map<string, string> | null = null;
  readonly #member: string;

  /** `member`: the member of the body that holds the conversation. */
  constructor(member = 'messages') {
    this.#member = member;
  }

  /** Each modality once, in order of appearance; null for text alone. */
  get input(): readonly Modality[] | null {
    return this.#input;
  }

  /** Null if no part names a stored file. */
  get files(): readonly FileReference[] | null {
    return this.#files;
  }

  add(modality: Modality): void {
    if (this.#input === null) this.#input = [modality];
    else if (!this.#input.includes(modality)) this.#input.push(modality);
  }

  addCall<C extends ToolCall>(call: C): C {
    this.#called ??= new Map();
    this.#called.set(call.id, call.name);
    return call;
  }

  toolNameOf(toolCallId: string): string | undefined {
    return this.#called?.get(toolCallId);
  }

  /** What a result says of the call that it answers. */
  answered(toolCallId: string): { readonly toolCallId: string; readonly toolName?: string } {
    const toolName = this.toolNameOf(toolCallId);
    return toolName === undefined ? { toolCallId } : { toolCallId, toolName };
  }

  /**
   * The part of a stored file, before its type and size are known, with what is sent beside it. Throws 400 above the
   * bound.
   */
  addFile(id: string, member: string, beside: Omit<MediaPart, 'type' | 'source'> = {}): MediaPart {
    const part: MediaPart = { ...beside, type: 'file', source: { kind: 'stored', mediaType: null, bytes: 0 } };
    this.#files ??= [];
    if (this.#files.length === STORED_FILES_MAX) {
      throw invalid(`${this.#member} must name at most ${STORED_FILES_MAX} stored files`);
    }
    this.#files.push({ id, member, part });
    return part;
  }
}
