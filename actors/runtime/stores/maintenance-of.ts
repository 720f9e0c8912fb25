import type { Maintenance, MaintenanceParts } from './maintenance.ts';
import type { StoreChoice } from './open-store.ts';

/** The upkeep of the chosen store; only its code is loaded. */
export async function maintenanceOf(choice: StoreChoice, parts: MaintenanceParts): Promise<Maintenance> {
  if (choice.kind === 'sqlite')
    return (await import('./sqlite/sqlite-maintenance.ts')).sqliteMaintenance(choice, parts);
  return (await import('./postgres/postgres-maintenance.ts')).postgresMaintenance(choice, parts);
}
