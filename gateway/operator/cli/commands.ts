/**
 * The commands of `troupe` by module, in the order of `--help`. A module is loaded only when its commands are needed.
 */
import type { AddCommand, CommandModule } from './frame/command.ts';

function module(names: string, load: () => Promise<{ readonly commands: readonly AddCommand[] }>): CommandModule {
  return {
    names: names.split(' '),
    load: async () => {
      const { commands } = await load();
      return (program, context) => {
        for (const add of commands) add(program, context);
      };
    },
  };
}

export const COMMANDS: readonly CommandModule[] = [
  module('up', () => import('./start/up.ts')),
  module('node', () => import('./start/node.ts')),
  module('accounts', () => import('./account/accounts.ts')),
  module('deposits statements', () => import('./money/deposits.ts')),
  module('keys', () => import('./key/keys.ts')),
  module('workspaces', () => import('./account/workspaces.ts')),
  module('audit', () => import('./account/audit.ts')),
  module('generation', () => import('./account/generations.ts')),
  module('export', () => import('./money/export.ts')),
  module('batch', () => import('./client/batch.ts')),
  module('video', () => import('./client/video.ts')),
  module('webhooks', () => import('./account/webhooks.ts')),
  module('endpoints', () => import('./provider/endpoints.ts')),
  module('providers', () => import('./provider/providers.ts')),
  module('models', () => import('./provider/models.ts')),
  module('refusals', () => import('./provider/refusals.ts')),
  module('ps inspect why watch drain', () => import('./cluster/look.ts')),
  module('actors events alarms', () => import('./cluster/actors.ts')),
  module('inflight stop', () => import('./cluster/inflight.ts')),
  module('console', () => import('./cluster/console.ts')),
  module('sql', () => import('./cluster/sql.ts')),
  module('history record replay', () => import('./history/history.ts')),
  module('logs', () => import('./cluster/logs.ts')),
  module('retry skip reload', () => import('./cluster/repair.ts')),
  module('reload-config', () => import('./cluster/reload-config.ts')),
  {
    names: ['completion'],
    load: async () => {
      const { addCompletion } = await import('./completion.ts');
      return (program, context) => addCompletion(program, context, COMMANDS);
    },
  },
  module('preflight', () => import('./start/preflight.ts')),
  module('migrate backup restore', () => import('./start/maintenance.ts')),
];
