import type { EngineHost } from '../durable/engine/engine.ts';

/** Writes one log record of the runtime. */
export type Log = EngineHost['log'];

/** The message of a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
