import { accountMachine } from '../../../actors/account/account.machine.ts';
import { accountKind } from '../../../actors/account/account.ts';
import type { Kind } from '../../../actors/runtime/index.ts';

type Implementations = Parameters<typeof accountMachine.provide>[0];

/** Replaces guards or actions of the account machine in a list of kinds. */
export function accountWith(replaced: Implementations): (sound: readonly Kind[]) => readonly Kind[] {
  const account: Kind = { ...accountKind(), machine: accountMachine.provide(replaced) };
  return (sound) => sound.map((kind) => (kind.name === account.name ? account : kind));
}
