import { type ChainedLog, lastEntryBefore, type ReadRows, sequenceId } from '../../../../actors/terms/audit.ts';
import { timeOfId } from '../../../../actors/terms/ids.ts';
import type { Option } from '../parts/fields.ts';
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

/** The order of rows that sort by the time in their ids: a place remains one after its row is gone. */
export function timedOrder(isId: (text: string) => boolean): Pick<List<unknown>, 'nameOf' | 'positionOf'> {
  return {
    nameOf: ({ id }) => id,
    positionOf: (name) => (isId(name) ? { sort: timeOfId(name), id: name } : null),
  };
}

/** A stored word as a choice: `in_progress` reads "in progress". */
export function statusOption(value: string): Option {
  return { value, text: value.replaceAll('_', ' ') };
}
