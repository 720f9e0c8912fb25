/** `troupe workspaces`: creates, changes, deletes and lists the workspaces of an account. */
import type { Command } from 'commander';
import { isWorkspaceId, workspaceAddress } from '../../../../actors/terms/ids.ts';
import { BUDGET_INTERVALS, type WorkspaceRecord } from '../../../../actors/terms/workspace.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import { addMembersTo, putBudget, removeBudget, removeMembersFrom } from '../../../management/workspace-members.ts';
import {
  accountWorkspaces,
  editWorkspace,
  openWorkspace,
  removeWorkspace,
  requireWorkspace,
} from '../../../management/workspaces.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { addressFrom, tenantFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { withDefaults } from '../frame/session.ts';

interface SettingOptions extends GlobalOptions {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string;
  readonly zdr?: string;
  readonly partition?: string;
  readonly allow?: string;
  readonly ignore?: string;
}

const WORKSPACE = ['<workspace>', 'as ws_... or acct_.../ws_...'] as const;

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').description('create, change, delete and list workspaces');
  workspaces
    .command('list')
    .argument('<account>', 'the account')
    .description('list the workspaces of an account, the default one first')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { account: owner } = tenantFrom(account);
      const found = await withDefaults(options, (services) => accountWorkspaces(services, owner));
      print(options, found, () => render(found));
    });
  withSettings(workspaces.command('create').argument('<account>', 'the account').argument('<name>', 'its name'))
    .description('create a workspace; what the options leave out is as configured')
    .action(async (account: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const input = { ...settingsOf(options), name };
      const tenant = tenantFrom(account);
      const made = await withDefaults(options, (services) => openWorkspace(services, tenant, input));
      print(options, made, () => render([made]));
    });
  withSettings(workspaces.command('set').argument(...WORKSPACE))
    .option('--name <name>', 'a new name')
    .description('change what the keys of a workspace are routed by')
    .action((workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const { name = null } = options;
      return change(workspace, options, (services, tenant, id) =>
        editWorkspace(services, tenant, { name: id, input: { ...settingsOf(options), name } }),
      );
    });
  addMemberChanges(workspaces);
  addBudget(workspaces);
  workspaces
    .command('show')
    .argument(...WORKSPACE)
    .description('show a workspace with its members and budgets')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { tenant, id } = await named(workspace, options);
      const found = await withDefaults(options, (services) => requireWorkspace(services, tenant.account, id));
      print(options, found, () => renderOne(found));
    });
  workspaces
    .command('delete')
    .argument(...WORKSPACE)
    .description('delete a workspace without keys')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { tenant, id } = await named(workspace, options);
      await withDefaults(options, (services) => removeWorkspace(services, tenant, id));
      print(options, { deleted: true }, () => `deleted ${workspace}`);
    });
}

function addMemberChanges(workspaces: Command): void {
  workspaces
    .command('add-member')
    .argument(...WORKSPACE)
    .argument('<user>', 'the id of the person')
    .option('--admin', 'with the role admin (default: member)')
    .description('add a member, or change the role of one')
    .action((workspace: string, user: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly admin?: boolean }>();
      const input = { user_ids: [user], role: options.admin ? 'admin' : 'member' };
      return change(workspace, options, async (services, tenant, name) => {
        return (await addMembersTo(services, tenant, { name, input })).after;
      });
    });
  workspaces
    .command('remove-member')
    .argument(...WORKSPACE)
    .argument('<user>', 'the id of the person')
    .description('remove a member')
    .action((workspace: string, user: string, _: unknown, command: Command) =>
      change(workspace, command.optsWithGlobals(), async (services, tenant, name) => {
        return (await removeMembersFrom(services, tenant, { name, input: { user_ids: [user] } })).after;
      }),
    );
}

function addBudget(workspaces: Command): void {
  workspaces
    .command('budget')
    .argument(...WORKSPACE)
    .argument('<interval>', BUDGET_INTERVALS.join(', '))
    .argument('<usd>', 'the most that its keys may spend in the interval, or none')
    .description('set or remove a budget of a workspace')
    .action((workspace: string, interval: string, usd: string, _: unknown, command: Command) =>
      change(workspace, command.optsWithGlobals(), (services, tenant, name) =>
        usd === 'none'
          ? removeBudget(services, tenant, { name, interval })
          : putBudget(services, tenant, { name, interval, input: { limit_usd: usd } }),
      ),
    );
}

function withSettings(command: Command): Command {
  return command
    .option('--slug <slug>', 'names it in paths beside its id: lower case words, digits and single hyphens')
    .option('--description <text>', 'what it is for, or none')
    .option('--zdr <yes or no>', 'only endpoints vetted for zero data retention')
    .option('--partition <model or none>', 'how the endpoints of several models are tried')
    .option('--allow <providers>', 'only these, separated by commas, or all')
    .option('--ignore <providers>', 'never these, separated by commas, or none');
}

/** The members of a workspace that the options name. */
function settingsOf({ zdr, partition, allow, ignore, slug, description }: SettingOptions): object {
  return {
    ...(slug === undefined ? {} : { slug }),
    ...(description === undefined ? {} : { description: description === 'none' ? null : description }),
    ...(zdr === undefined ? {} : { zdr: FLAGS.get(zdr) ?? zdr }),
    ...(partition === undefined ? {} : { partition }),
    ...(allow === undefined ? {} : { allowed_providers: allow === 'all' ? null : allow.split(',') }),
    ...(ignore === undefined ? {} : { ignored_providers: ignore === 'none' ? [] : ignore.split(',') }),
  };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
]);

type Change = (services: ManagementServices, tenant: Tenant, id: string) => Promise<WorkspaceRecord>;

async function change(workspace: string, options: GlobalOptions, run: Change): Promise<void> {
  const { tenant, id } = await named(workspace, options);
  const after = await withDefaults(options, (services) => run(services, tenant, id));
  print(options, after, () => render([after]));
}

function renderOne(one: WorkspaceRecord): string {
  return pairs({
    workspace: addressOf(one),
    name: one.name,
    slug: one.slug,
    description: one.description,
    zdr: one.zeroRetention ? 'yes' : 'no',
    partition: one.partition,
    allowed: one.allowed?.join(',') ?? 'all',
    ignored: one.ignored.join(',') || 'none',
    members: one.members.map(({ user, role }) => `${user} (${role})`).join(', ') || 'none',
    budgets: budgetsOf(one),
    created: timeOf(one.createdAt),
    changed: timeOf(one.updatedAt),
  });
}

function addressOf({ account, id }: WorkspaceRecord): string {
  return workspaceAddress(account, id).slice('workspace:'.length);
}

function budgetsOf({ budgets }: WorkspaceRecord): string {
  return budgets.map(({ interval, limit }) => `${limit} ${interval}`).join(', ') || 'none';
}

function render(found: readonly WorkspaceRecord[]): string {
  const rows = found.map((one) => [
    addressOf(one),
    one.name,
    one.isDefault ? '-' : String(one.keys),
    one.zeroRetention ? 'yes' : 'no',
    one.allowed?.join(',') ?? 'all',
    one.ignored.join(',') || 'none',
    budgetsOf(one),
    timeOf(one.createdAt) ?? '',
  ]);
  return table(['WORKSPACE', 'NAME', 'KEYS', 'ZDR', 'ALLOWED', 'IGNORED', 'BUDGET USD', 'CREATED'], rows);
}

/** `ws_...` or `acct_1/ws_...` @throws ConfigError */
async function named(text: string, options: GlobalOptions): Promise<{ readonly tenant: Tenant; readonly id: string }> {
  const address = isWorkspaceId(text) ? await addressFrom(text, options) : text;
  const [owner = '', id = ''] = address.replace(/^workspace:/, '').split('/');
  if (isWorkspaceId(id)) return { tenant: tenantFrom(owner), id };
  throw new ConfigError(
    `"${text}" is not a workspace; write ws_... or acct_.../ws_... as \`troupe workspaces list\` prints it`,
  );
}
