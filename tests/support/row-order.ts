/** The orders of rows in lists of the store. */
import type { RowQuery, RowRecord } from '../../actors/runtime/ports/store.ts';

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareRows(a: { sort: number; id: string }, b: { sort: number; id: string }): number {
  return a.sort - b.sort || compareText(a.id, b.id);
}

/** Of rows, and of a cursor. */
type Place = NonNullable<RowQuery['after']> & { readonly index?: RowRecord['index'] };

export function orderOf({ order, startsWith }: RowQuery): (a: Place, b: Place) => number {
  const turn = order === 'descending' ? -1 : 1;
  if (startsWith === undefined) return (a, b) => turn * compareRows(a, b);
  const columnOf = ({ index, value }: Place): string => index?.[startsWith.column] ?? value ?? '';
  return (a, b) => compareText(columnOf(a), columnOf(b)) || compareRows(a, b);
}
