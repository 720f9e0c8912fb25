import type { RowView, Stamped } from '../runtime/index.ts';

/** The first row requested as `as` for this event, in the kind's own type; null when there is none. */
export function firstRow<T>(event: Pick<Stamped, 'rows'>, as: string): T | null {
  return (event.rows[as]?.[0]?.body ?? null) as T | null;
}

/** All rows requested as `as` for this event. */
export function allRows(event: Pick<Stamped, 'rows'>, as: string): readonly RowView[] {
  return event.rows[as] ?? [];
}
