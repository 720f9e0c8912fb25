import type { ClusterNode } from '../../../actors/runtime/node.ts';
import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Dice } from '../world/dice.ts';

/** One caller inside one process: it ends with it, and whatever it was doing then stays without an end. */
export interface Client {
  readonly name: string;
  readonly node: ClusterNode;
  readonly clock: Clock;
  readonly dice: Dice;
  /** False once its process has ended: what it was doing then has no end. */
  readonly isAlive: () => boolean;
}

export function pause({ clock }: Pick<Client, 'clock'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
