/** `troupe workspaces`: what a management key does over `/workspaces`, for operators. */
import type { Command } from 'commander';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { accountAddress, isWorkspaceId, workspaceAddress, workspaceId } from '../../../actors/terms/ids.ts';
import type { WorkspaceRecord, WorkspaceSettings } from '../../../actors/terms/workspace.ts';
import {
  addMembers,
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  removeMembers,
  updateWorkspace,
  type WorkspaceAnswer,
  type WorkspaceChange,
} from '../../../actors/workspace/workspace.ts';
import { ConfigError } from '../config/config-error.ts';
import { COMMAND_LINE } from './command-line.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom } from './names.ts';
import { print, table, timeOf } from './print.ts';
import { ASK_MS, withSession } from './session.ts';

interface SettingOptions extends GlobalOptions {
  readonly name?: string;
  readonly zdr?: string;
  readonly partition?: string;
  readonly allow?: string;
  readonly ignore?: string;
}

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').description('create, change, delete and list workspaces');
  workspaces
    .command('list')
    .argument('<account>', 'the account')
    .description('list the workspaces of an account that were created or changed')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const owner = ownerFrom(account);
      const found = await withSession(options, ({ operator }) => listWorkspaces(operator, owner));
      print(options, found, () => render(found));
    });
  withSettings(workspaces.command('create').argument('<account>', 'the account').argument('<name>', 'its name'))
    .description('create a workspace')
    .action(async (account: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const change = changeOf(ownerFrom(account), workspaceId(systemRandom));
      const settings = { ...NEW, ...settingsOf(options), name, slug: change.id.toLowerCase().replace('_', '-') };
      await applyChange(options, (cluster) => createWorkspace(cluster, change, settings));
    });
  withSettings(workspaces.command('set').argument('<workspace>', 'as acct_.../ws_...'))
    .option('--name <name>', 'a new name')
    .description('change what the keys of a workspace are routed by')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const change = named(workspace);
      const settings = { ...settingsOf(options), ...(options.name === undefined ? {} : { name: options.name }) };
      await applyChange(options, (cluster) => updateWorkspace(cluster, change, settings));
    });
  for (const what of ['add', 'remove'] as const) {
    workspaces
      .command(`${what}-member`)
      .argument('<workspace>', 'as acct_.../ws_...')
      .argument('<user>', 'the id of the person')
      .description(`${what} a member`)
      .action(async (workspace: string, user: string, _: unknown, command: Command) => {
        const change = named(workspace);
        await applyChange(command.optsWithGlobals<GlobalOptions>(), (cluster) =>
          what === 'add'
            ? addMembers(cluster, change, { users: [user], role: 'member' })
            : removeMembers(cluster, change, [user]),
        );
      });
  }
  workspaces
    .command('delete')
    .argument('<workspace>', 'as acct_.../ws_...')
    .description('delete a workspace without keys')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const change = named(workspace);
      const refused = await withSession(options, ({ cluster }) => deleteWorkspace(cluster, change));
      if (refused !== null) throw new ConfigError(refused.refusal.message);
      print(options, { deleted: true }, () => `deleted ${workspace}`);
    });
}

const NEW = { description: null, zeroRetention: false, partition: 'model', allowed: null, ignored: [] } as const;

function withSettings(command: Command): Command {
  return command
    .option('--zdr <yes or no>', 'only endpoints vetted for zero data retention')
    .option('--partition <model or none>', 'how the endpoints of several models are tried')
    .option('--allow <providers>', 'only these, separated by commas, or all')
    .option('--ignore <providers>', 'never these, separated by commas, or none');
}

function settingsOf({ zdr, partition, allow, ignore }: SettingOptions): Partial<WorkspaceSettings> {
  if (zdr !== undefined && zdr !== 'yes' && zdr !== 'no') throw new ConfigError('--zdr must be yes or no');
  if (partition !== undefined && partition !== 'model' && partition !== 'none') {
    throw new ConfigError('--partition must be model or none');
  }
  return {
    ...(zdr === undefined ? {} : { zeroRetention: zdr === 'yes' }),
    ...(partition === undefined ? {} : { partition }),
    ...(allow === undefined ? {} : { allowed: allow === 'all' ? null : allow.split(',') }),
    ...(ignore === undefined ? {} : { ignored: ignore === 'none' ? [] : ignore.split(',') }),
  };
}

async function applyChange(
  options: GlobalOptions,
  run: (cluster: Parameters<typeof createWorkspace>[0]) => Promise<WorkspaceAnswer>,
): Promise<void> {
  const after = await withSession(options, ({ cluster }) => run(cluster));
  if ('refusal' in after) throw new ConfigError(after.refusal.message);
  print(options, after, () => render([after]));
}

function render(found: readonly WorkspaceRecord[]): string {
  const rows = found.map((one) => [
    workspaceAddress(one.account, one.id).slice('workspace:'.length),
    one.name,
    one.isDefault ? '-' : String(one.keys),
    one.zeroRetention ? 'yes' : 'no',
    one.allowed?.join(',') ?? 'all',
    one.ignored.join(',') || 'none',
    one.budgets.map(({ interval, limit }) => `${limit} ${interval}`).join(', ') || 'none',
    timeOf(one.createdAt) ?? '',
  ]);
  return table(['WORKSPACE', 'NAME', 'KEYS', 'ZDR', 'ALLOWED', 'IGNORED', 'BUDGET USD', 'CREATED'], rows);
}

function ownerFrom(account: string): string {
  return accountFrom(account).slice(accountAddress('').length);
}

/** `acct_1/ws_...` @throws ConfigError */
function named(text: string): WorkspaceChange {
  const [owner = '', id = ''] = text.split('/');
  if (isWorkspaceId(id)) return changeOf(ownerFrom(owner), id);
  throw new ConfigError(`"${text}" is not a workspace; write acct_.../ws_... as \`troupe workspaces list\` prints it`);
}

function changeOf(account: string, id: string): WorkspaceChange {
  return { account, id, by: COMMAND_LINE, withinMs: ASK_MS };
}
