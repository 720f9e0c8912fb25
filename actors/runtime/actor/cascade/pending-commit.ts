import type { Answer } from '../answer.ts';
import type { Json } from '../event.ts';

/**
 * An entry that is not durable yet, which states and outputs wait for. Entries of one shard become durable in the order
 * of `order`.
 */
export interface PendingCommit {
  readonly order: number;
  /** True once its batch was passed to the store. */
  readonly handed: boolean;
  /** Holds an output back until this entry is durable. */
  attach(output: Output): void;
}

/** An output, which leaves the engine once everything it depends on is durable. */
export interface Output {
  readonly answer: ((answer: Answer) => void) | null;
  readonly reply: Answer;
  readonly publishes: readonly Publish[];
}

/** A value for the board, with the epoch and version of the step that published it; a null value removes the key. */
export interface Publish {
  readonly topic: string;
  readonly key: string;
  readonly value: Json;
  readonly address: string;
  readonly epoch: number;
  readonly version: number;
}
