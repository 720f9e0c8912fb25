import type { ClusterNode } from '../../../actors/runtime/node.ts';
import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Dice } from '../world/dice.ts';
import type { ProcessBytes } from '../world/node.ts';

/** A client inside one process. It ends with the process, and its pending operations then never complete. */
export interface Client {
  readonly name: string;
  readonly node: ClusterNode;
  readonly clock: Clock;
  readonly dice: Dice;
  /** Null in a world without byte stores. */
  readonly bytes: ProcessBytes | null;
  /** False once its process has ended: its pending operations never complete. */
  readonly isAlive: () => boolean;
}

export function pause({ clock }: Pick<Client, 'clock'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
