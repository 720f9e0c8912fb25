/** The bytes of an account's stored files: a file takes its room in the commit that stores it, and gives it back. */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { refuse } from '../terms/chart-tools.ts';
import { type AccountState, nextOf } from './account-state.ts';

/** From a file, in the commit that stores it; refused if the account would have more than `bytesMax` stored. */
type StorageTake = Stamped & { readonly type: 'storage.take'; readonly bytes: number; readonly bytesMax: number };
/** From a file, in the commit that removes it. */
type StorageGive = Stamped & { readonly type: 'storage.give'; readonly bytes: number };
export type StorageEvent = StorageTake | StorageGive;

function hasRoom({ storedBytes }: AccountState, { bytes, bytesMax }: StorageTake): boolean {
  return storedBytes + bytes <= bytesMax;
}

function withBytes(state: AccountState, bytes: number): AccountState {
  const next = nextOf(state);
  next.storedBytes = Math.max(0, state.storedBytes + bytes);
  return next;
}

/** Undoes the step of the file that asked for the room. */
function refuseStorage(_: AccountState, { bytesMax }: StorageTake): Effect {
  const message = `The stored files of an account have at most ${bytesMax} bytes in all; delete files or wait for their expiry`;
  return refuse({ status: 403, type: 'permission_denied', message, metadata: { scope: 'account', limit: bytesMax } });
}

export const guards = {
  hasRoom: guardOn('storage.take', hasRoom),
};

export const actions = {
  takeStorage: assignOn('storage.take', (state: AccountState, { bytes }: StorageTake) => withBytes(state, bytes)),
  giveStorage: assignOn('storage.give', (state: AccountState, { bytes }: StorageGive) => withBytes(state, -bytes)),
  refuseStorage: emitOn('storage.take', refuseStorage),
};
