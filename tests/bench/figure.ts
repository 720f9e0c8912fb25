/** One measured figure with its baseline of the same run and its target. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** Null without a baseline. */
  readonly baseline: number | null;
  /** `atLeast`: minimum of ours / baseline, or of ours without a baseline; `atMost`: the maximum. */
  readonly goal: Goal;
  readonly note?: string;
}

type Goal =
  | { readonly atLeast: number; readonly of: 'ratio' | 'value' }
  | { readonly atMost: number; readonly of: 'ratio' | 'value' | 'difference' };

export function ratio(figure: Figure): number | null {
  return figure.baseline === null || figure.baseline === 0 ? null : figure.ours / figure.baseline;
}

export function reached(figure: Figure): boolean {
  const value = judged(figure);
  if (!Number.isFinite(value)) return false;
  return 'atLeast' in figure.goal ? value >= figure.goal.atLeast : value <= figure.goal.atMost;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** All figures as one table of plain text. */
export function table(figures: readonly Figure[]): string {
  const rows = [
    ['figure', 'ours', 'baseline', 'ratio', 'goal', ''],
    ...figures.map((figure) => [
      figure.name,
      `${number(figure.ours)} ${figure.unit}`,
      figure.baseline === null ? '-' : `${number(figure.baseline)} ${figure.unit}`,
      ratio(figure)?.toFixed(2) ?? '-',
      goalText(figure),
      `${reached(figure) ? 'reached' : 'missed'}${figure.note ? ` (${figure.note})` : ''}`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function judged(figure: Figure): number {
  if (figure.goal.of === 'value') return figure.ours;
  if (figure.goal.of === 'difference') return figure.ours - (figure.baseline ?? Number.NaN);
  return ratio(figure) ?? Number.NaN;
}

function goalText(figure: Figure): string {
  const { goal } = figure;
  const bound = 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;
  if (goal.of === 'ratio') return `${bound} x`;
  return `${goal.of === 'difference' ? 'added ' : ''}${bound} ${figure.unit}`;
}

function number(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
