import type { Snapshot } from './snapshot.ts';

/** The JSON text of a snapshot as it is stored: state value, context and status, nothing else. */
export function persist(snapshot: Snapshot): string {
  return JSON.stringify({ value: snapshot.value, context: snapshot.context, status: snapshot.status });
}
