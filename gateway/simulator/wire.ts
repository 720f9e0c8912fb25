import type { Answer } from './answer.ts';

/** How a dialect serialises an answer. */
export interface Wire {
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
