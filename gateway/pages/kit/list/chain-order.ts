import { type ChainedLog, lastEntryBefore, type ReadRows, sequenceId } from '../../../../actors/terms/audit.ts';
import type { List } from './list.ts';

/** The order of a numbered log, for its list: by sequence, named by it, and found by time through halving. */
export function chainOrder(
  rows: ReadRows,
  log: ChainedLog,
): Pick<List<unknown>, 'nameOf' | 'positionOf'> & { readonly sortAt: (at: number) => Promise<number> } {
  return {
    nameOf: ({ id }) => id,
    positionOf: (name) => (/^\d{1,12}$/.test(name) ? { sort: Number(name), id: sequenceId(Number(name)) } : null),
    sortAt: async (at) => ((await lastEntryBefore(rows, log, at))?.sequence ?? 0) + 1,
  };
}
