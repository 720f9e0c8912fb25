/**
 * What a list of an account is: which rows of the store it shows, what a visitor may narrow and sort it by, and how one
 * of its rows is named in an address. Every table of rows on the account pages is one of these.
 */
import type { RowQuery, RowRecord } from '../../../../actors/runtime/index.ts';
import type { Option } from '../parts/fields.ts';

/** A place in the order of a collection, exclusive. */
export type Position = NonNullable<RowQuery['after']>;

/** A choice that narrows the list. */
interface Filter<T> {
  readonly name: string;
  readonly title: string;
  /** Without the one for "any". */
  readonly options: readonly Option[];
  readonly matches: (item: T, value: string) => boolean;
  /** The index column that has the value, where there is one: rows of other values are not read then. */
  readonly where?: (value: string) => NonNullable<RowQuery['where']>;
}

/** An order other than that of age, the first item first. */
interface Sort<T> {
  readonly value: string;
  readonly text: string;
  readonly compare: (a: T, b: T) => number;
}

export interface List<T> {
  /** Of its page. */
  readonly path: string;
  /** What it lists, in the plural: `requests`. */
  readonly noun: string;
  readonly rows: Pick<RowQuery, 'collection' | 'address' | 'where'>;
  /** Items of one page. */
  readonly pageRows: number;
  /** Null for a row that is not shown, such as one that has expired. */
  readonly read: (row: RowRecord) => T | null;
  readonly timeOf: (item: T) => number;
  /** The `sort` of the first row at or after a store time; absent: rows sort by time. */
  readonly sortAt?: (at: number) => Promise<number>;
  /** The row's name in an address, and the position of that name; null for text that names nothing. */
  readonly nameOf: (row: RowRecord) => string;
  readonly positionOf: (name: string) => Position | null | Promise<Position | null>;
  /** The row of exactly this id, looked up without reading others; null for none. */
  readonly find?: (id: string) => Promise<RowRecord | null>;
  /** What a search looks in. */
  readonly texts: (item: T) => readonly (string | null | undefined)[];
  readonly filters: readonly Filter<T>[];
  readonly sorts: readonly Sort<T>[];
}
