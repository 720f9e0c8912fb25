/**
 * The commands of `troupe` by module, in the order of `--help`. A module is loaded only when its commands are needed.
 */
import type { CommandModule } from './command-module.ts';

export const COMMANDS: readonly CommandModule[] = [
  {
    names: ['up'],
    load: async () => {
      const { addUp } = await import('./up.ts');
      return (program, { entry }) => addUp(program, entry);
    },
  },
  {
    names: ['node'],
    load: async () => {
      const { addNode } = await import('./node.ts');
      return (program, { ports }) => addNode(program, ports);
    },
  },
  { names: ['accounts'], load: async () => (await import('./accounts.ts')).addAccounts },
  { names: ['deposits', 'statements'], load: async () => (await import('./deposits.ts')).addDeposits },
  { names: ['keys'], load: async () => (await import('./keys.ts')).addKeys },
  { names: ['workspaces'], load: async () => (await import('./workspaces.ts')).addWorkspaces },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAudit },
  { names: ['generation'], load: async () => (await import('./generations.ts')).addGeneration },
  { names: ['export'], load: async () => (await import('./export.ts')).addExport },
  { names: ['batch'], load: async () => (await import('./batch.ts')).addBatch },
  { names: ['video'], load: async () => (await import('./video.ts')).addVideo },
  { names: ['webhooks'], load: async () => (await import('./webhooks.ts')).addWebhooks },
  { names: ['endpoints'], load: async () => (await import('./endpoints.ts')).addEndpoints },
  { names: ['providers'], load: async () => (await import('./providers.ts')).addProviders },
  { names: ['models'], load: async () => (await import('./models.ts')).addModels },
  { names: ['refusals'], load: async () => (await import('./refusals.ts')).addRefusals },
  { names: ['ps', 'inspect', 'why', 'watch', 'drain'], load: async () => (await import('./look.ts')).addLook },
  { names: ['logs'], load: async () => (await import('./logs.ts')).addLogs },
  { names: ['retry', 'skip'], load: async () => (await import('./dead-letters.ts')).addDeadLetters },
  { names: ['reload'], load: async () => (await import('./reload.ts')).addReload },
  { names: ['reload-config'], load: async () => (await import('./reload-config.ts')).addReloadConfig },
  {
    names: ['completion'],
    load: async () => {
      const { addCompletion } = await import('./completion.ts');
      return (program, context) => addCompletion(program, context, COMMANDS);
    },
  },
  { names: ['preflight'], load: async () => (await import('./preflight.ts')).addPreflight },
  { names: ['migrate', 'backup', 'restore'], load: async () => (await import('./maintenance.ts')).addMaintenance },
];
