/** How recorded steps are printed. */
import { table, timeOf } from '../frame/print.ts';

export interface StepRow {
  readonly version: number;
  readonly at: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly node: string;
  readonly epoch: number;
  readonly recorded: boolean;
}

export interface OneStep extends Pick<StepRow, 'version' | 'at' | 'node' | 'epoch'> {
  readonly chart: number;
  readonly event: { readonly type: string };
  readonly rows: object;
  readonly difference: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

export function stepTable(steps: readonly StepRow[]): string {
  if (steps.length === 0) return 'no step of this actor is recorded; record it with `troupe record`';
  const rows = steps.map(({ version, at, event, from, to, node, epoch, recorded }) => {
    return [version, timeOf(at), event, from === to ? to : `${from} -> ${to}`, node, epoch, recorded ? 'yes' : '-'];
  });
  return table(['VERSION', 'AT', 'EVENT', 'STATE', 'NODE', 'EPOCH', 'RECORDED'], rows);
}

export function stepText({ version, at, node, epoch, chart, event, rows, difference }: OneStep): string {
  return [
    `version ${version} at ${timeOf(at)} on ${node}, epoch ${epoch}, chart ${chart}`,
    `event  ${JSON.stringify(event)}`,
    ...(Object.keys(rows).length === 0 ? [] : [`rows   ${JSON.stringify(rows)}`]),
    changesTable(difference),
  ].join('\n');
}

/** Also of a replay. */
export function changesTable(difference: OneStep['difference']): string {
  if (difference.length === 0) return 'the state did not change';
  return table(
    ['MEMBER', 'BEFORE', 'AFTER'],
    difference.map(({ path, before, after }) => [path, textOf(before), textOf(after)]),
  );
}

function textOf(value: unknown): string {
  return value === undefined ? '-' : JSON.stringify(value);
}
