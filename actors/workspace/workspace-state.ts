/** The stored state of a workspace, its row, and its messages to the account. Pure. */
import { type ActorEvent, type Effect, emitOn, guardOn } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { DEFAULT_WORKSPACE, type WorkspaceRecord } from '../terms/workspace.ts';

export interface WorkspaceState {
  readonly address: string;
  /** Null only during the step that creates the workspace. */
  readonly record: WorkspaceRecord | null;
}

/** The row's collection. */
export const WORKSPACE = 'workspace';

/** The record of a workspace that was created. */
export function recordOf({ record }: WorkspaceState): WorkspaceRecord {
  if (record === null) throw new Error('a workspace is used before it is created');
  return record;
}

/** An action that changes the record of a workspace that was created. */
export function changes<E>(
  next: (record: WorkspaceRecord, event: E) => WorkspaceRecord,
): (state: WorkspaceState, event: E) => Partial<WorkspaceState> {
  return (state, event) => ({ record: next(recordOf(state), event) });
}

/** As the account names it. */
export function nameOf(state: WorkspaceState): string {
  const { id, isDefault } = recordOf(state);
  return isDefault ? DEFAULT_WORKSPACE : id;
}

export function toAccount(state: WorkspaceState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(recordOf(state).account), event };
}

function putRow(state: WorkspaceState): Effect {
  const record = recordOf(state);
  return { type: 'put', collection: WORKSPACE, id: record.id, body: plain(record) };
}

export const guards = {
  isNew: guardOn('*', ({ record }: WorkspaceState) => record === null),
};

export const actions = {
  putRow: emitOn('*', putRow),
  answer: emitOn('*', (state: WorkspaceState) => reply(recordOf(state))),
};
