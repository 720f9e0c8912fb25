import type { RegisteredKind } from './register.ts';

/**
 * The chart versions of one kind that a build supports: it loads `loads` to `version`, and writes `writes` to
 * `version`.
 */
export interface ChartRange {
  readonly loads: number;
  readonly writes: number;
  readonly version: number;
}

/** The ranges of a build, by kind. */
export type Charts = Readonly<Record<string, ChartRange>>;

export function chartRange({
  version,
  upcast,
  downcast,
}: Pick<RegisteredKind, 'version' | 'upcast' | 'downcast'>): ChartRange {
  return { version, loads: upcast === null ? version : version - 1, writes: downcast === null ? version : version - 1 };
}

export function chartsOf(kinds: Iterable<RegisteredKind>): Charts {
  return Object.fromEntries([...kinds].map((kind) => [kind.name, chartRange(kind)]));
}
