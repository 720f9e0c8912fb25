import type { Answer } from './answer.ts';

/** How a dialect serialises an answer. */
export interface Wire {
  /** How a stream's text is sent; absent: as server-sent events, which the text is. */
  readonly stream?: StreamForm;
  /** The body of an answer in one piece. */
  whole(answer: Answer): string;
  /**
   * The frames of a streamed answer: the opening frame and one per piece in `content`, the end of the stream in `tail`.
   */
  frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] };
  /** The body of a refusal. */
  failure(status: number): string;
  /** A usage report whose counts are these texts, which need not be JSON. */
  usage(prompt: string, completion: string, total: string): string;
  /** An error in the middle of a stream, as a frame. */
  errorFrame(message: string): string;
}

interface StreamForm {
  /** Its content type. */
  readonly type: string;
  /** The bytes of some frames' text; absent: the text itself. */
  readonly encode?: (text: string) => Uint8Array;
}

/** The content type of a wire's streams. */
export function streamType({ stream }: Wire): string {
  return stream?.type ?? 'text/event-stream';
}

/** A part of a stream as it is sent. */
export function streamed({ stream }: Wire, text: string): string | Uint8Array {
  return stream?.encode?.(text) ?? text;
}
