import type { Answer } from './answer.ts';

/** How a dialect writes what a call is answered with. */
export interface Wire {
  /** The body of an answer in one piece. */
  whole(answer: Answer): string;
  /** The frames of a streamed answer: the one that opens it, one per piece of the answer, and what ends a stream. */
  frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] };
  /** The body of a refusal. */
  failure(status: number): string;
  /** A usage report whose counts are these texts, which need not be JSON. */
  usage(prompt: string, completion: string, total: string): string;
  /** An error in the middle of a stream, as a frame. */
  errorFrame(message: string): string;
}
