import type { Json } from './event.ts';
import type { SavedState } from './kind.ts';
import type { RegisteredKind } from './registered-kind.ts';
import type { Snapshot } from './snapshot.ts';

/** The JSON text of a snapshot as it is stored: state value, context and status, nothing else. */
export function persist(snapshot: Snapshot): string {
  return JSON.stringify({ value: snapshot.value, context: snapshot.context, status: snapshot.status });
}

/** The same at the chart version that the kind is written at, which may be the one before this build's. */
export function persistAt({ level, version, downcast }: RegisteredKind, snapshot: Snapshot): string {
  if (level === version || downcast === null) return persist(snapshot);
  const { value, context, status } = downcast({
    value: snapshot.value as Json,
    context: snapshot.context as Json,
    status: snapshot.status as SavedState['status'],
  });
  return JSON.stringify({ value, context, status });
}
