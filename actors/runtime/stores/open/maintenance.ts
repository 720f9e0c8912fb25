import type { Maintenance, MaintenanceParts } from '../maintenance.ts';
import type { StoreChoice } from '../store-choice.ts';

/** Maintenance of the chosen store; loads only that store's code. */
export async function maintenanceOf(choice: StoreChoice, parts: MaintenanceParts): Promise<Maintenance> {
  if (choice.kind === 'sqlite')
    return (await import('../sqlite/sqlite-maintenance.ts')).sqliteMaintenance(choice, parts);
  return (await import('../postgres/postgres-maintenance.ts')).postgresMaintenance(choice, parts);
}
