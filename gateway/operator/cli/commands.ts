/**
 * The commands of `troupe` by module, in the order of `--help`. A module is loaded only when its commands are needed.
 */
import type { CommandModule } from './frame/command-module.ts';

export const COMMANDS: readonly CommandModule[] = [
  {
    names: ['up'],
    load: async () => {
      const { addUp } = await import('./start/up.ts');
      return (program, { entry }) => addUp(program, entry);
    },
  },
  {
    names: ['node'],
    load: async () => {
      const { addNode } = await import('./start/node.ts');
      return (program, { ports }) => addNode(program, ports);
    },
  },
  { names: ['accounts'], load: async () => (await import('./account/accounts.ts')).addAccounts },
  { names: ['deposits', 'statements'], load: async () => (await import('./money/deposits.ts')).addDeposits },
  { names: ['keys'], load: async () => (await import('./key/keys.ts')).addKeys },
  { names: ['workspaces'], load: async () => (await import('./account/workspaces.ts')).addWorkspaces },
  { names: ['audit'], load: async () => (await import('./account/audit.ts')).addAudit },
  { names: ['generation'], load: async () => (await import('./account/generations.ts')).addGeneration },
  { names: ['export'], load: async () => (await import('./money/export.ts')).addExport },
  { names: ['batch'], load: async () => (await import('./client/batch.ts')).addBatch },
  { names: ['video'], load: async () => (await import('./client/video.ts')).addVideo },
  { names: ['webhooks'], load: async () => (await import('./account/webhooks.ts')).addWebhooks },
  { names: ['endpoints'], load: async () => (await import('./provider/endpoints.ts')).addEndpoints },
  { names: ['providers'], load: async () => (await import('./provider/providers.ts')).addProviders },
  { names: ['models'], load: async () => (await import('./provider/models.ts')).addModels },
  { names: ['refusals'], load: async () => (await import('./provider/refusals.ts')).addRefusals },
  { names: ['ps', 'inspect', 'why', 'watch', 'drain'], load: async () => (await import('./cluster/look.ts')).addLook },
  { names: ['logs'], load: async () => (await import('./cluster/logs.ts')).addLogs },
  { names: ['retry', 'skip'], load: async () => (await import('./cluster/dead-letters.ts')).addDeadLetters },
  { names: ['reload'], load: async () => (await import('./cluster/reload.ts')).addReload },
  { names: ['reload-config'], load: async () => (await import('./cluster/reload-config.ts')).addReloadConfig },
  {
    names: ['completion'],
    load: async () => {
      const { addCompletion } = await import('./completion.ts');
      return (program, context) => addCompletion(program, context, COMMANDS);
    },
  },
  { names: ['preflight'], load: async () => (await import('./start/preflight.ts')).addPreflight },
  {
    names: ['migrate', 'backup', 'restore'],
    load: async () => (await import('./start/maintenance.ts')).addMaintenance,
  },
];
