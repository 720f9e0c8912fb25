import type { StoreChoice } from './open-store.ts';
import type { Upkeep, UpkeepParts } from './upkeep.ts';

/** The upkeep of the chosen store; only its code is loaded. */
export async function upkeepOf(choice: StoreChoice, parts: UpkeepParts): Promise<Upkeep> {
  if (choice.kind === 'sqlite') return (await import('./sqlite/upkeep.ts')).sqliteUpkeep(choice, parts);
  return (await import('./postgres/upkeep.ts')).postgresUpkeep(choice, parts);
}
