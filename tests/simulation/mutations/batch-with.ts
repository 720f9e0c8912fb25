import { batchMachine } from '../../../actors/batch/batch.machine.ts';
import { batchKind } from '../../../actors/batch/batch.ts';
import type { Kind } from '../../../actors/runtime/index.ts';

type Implementations = Parameters<typeof batchMachine.provide>[0];

/** Replaces guards or actions of the batch machine in a list of kinds. */
export function batchWith(replaced: Implementations): (sound: readonly Kind[]) => readonly Kind[] {
  const batch: Kind = { ...batchKind, machine: batchMachine.provide(replaced) };
  return (sound) => sound.map((kind) => (kind.name === batch.name ? batch : kind));
}
