/**
 * What a kind shows of its actors in a tab of its own: facts and tables whose cells say what they are, so that the console
 * draws every kind's tab the same way. A kind without one has the tabs that every actor has.
 */
import { type Static, Type } from 'typebox';
import type { Cluster, Inspection } from '../../../actors/runtime/index.ts';

/**
 * `time` is in ms, `duration` in ms, `bytes` a number, `usd` exact decimal text; `actor` is an address, `generation` its
 * id, and `id` a text that is copied.
 */
const CELL_TYPES = [
  ...(['text', 'id', 'state', 'number'] as const),
  ...(['time', 'duration', 'bytes', 'usd', 'actor', 'generation'] as const),
] as const;
type CellType = (typeof CELL_TYPES)[number];

export type KindCell = string | number | null;

const CELL = Type.Union([Type.String(), Type.Number(), Type.Null()]);

export const KIND_TAB = Type.Object({
  facts: Type.Array(Type.Object({ name: Type.String(), type: Type.Enum(CELL_TYPES), value: CELL })),
  tables: Type.Array(
    Type.Object({
      title: Type.String(),
      /** What is said where there is no row. */
      empty: Type.String(),
      columns: Type.Array(Type.Object({ name: Type.String(), type: Type.Enum(CELL_TYPES) })),
      rows: Type.Array(Type.Array(CELL)),
      /** Values of the query's `status`; absent: the table has no filter. */
      statuses: Type.Optional(Type.Array(Type.String())),
      /** The cursor of its next page, null at the end; absent: the table is whole. */
      next: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
});
export type KindTabView = Static<typeof KIND_TAB>;
type KindTable = KindTabView['tables'][number];

/** What is asked of a tab. At most one of its tables has pages. */
export interface TabAsked {
  readonly cursor?: string;
  readonly limit?: number;
  readonly status?: string;
}

export interface KindTab {
  readonly name: string;
  readonly read: (cluster: Cluster, found: Inspection, asked: TabAsked) => Promise<KindTabView>;
}

/** A fact without a value is left out. */
export function factsOf(facts: readonly (readonly [name: string, type: CellType, value: KindCell | undefined])[]) {
  return facts.flatMap(([name, type, value]) => (value === undefined || value === null ? [] : [{ name, type, value }]));
}

/** A table that is whole. */
export function tableOf(
  title: string,
  empty: string,
  columns: Readonly<Record<string, CellType>>,
  rows: readonly (readonly KindCell[])[],
): KindTable {
  return { title, empty, columns: columnsOf(columns), rows: rows.map((row) => [...row]) };
}

export function columnsOf(columns: Readonly<Record<string, CellType>>): KindTable['columns'] {
  return Object.entries(columns).map(([name, type]) => ({ name, type }));
}
