import type { RowView, Stamped } from '../runtime/index.ts';

/** The one row a kind named `as` for this event, as its own kind wrote it; null when there is none. */
export function firstRow<T>(event: Pick<Stamped, 'rows'>, as: string): T | null {
  return (event.rows[as]?.[0]?.body ?? null) as T | null;
}

/** All rows a kind named `as` for this event. */
export function allRows(event: Pick<Stamped, 'rows'>, as: string): readonly RowView[] {
  return event.rows[as] ?? [];
}
