/** `troupe workspaces`: what a management key does over `/workspaces`, for operators. */
import type { Command } from 'commander';
import { showAccount } from '../../../actors/account/account.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import {
  accountAddress,
  defaultWorkspaceId,
  isWorkspaceId,
  workspaceAddress,
  workspaceId,
} from '../../../actors/terms/ids.ts';
import { BUDGET_INTERVALS, type WorkspaceRecord, type WorkspaceSettings } from '../../../actors/terms/workspace.ts';
import {
  addMembers,
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  removeMembers,
  setBudget,
  settingsOfDefault,
  unchangedDefault,
  updateWorkspace,
  type WorkspaceAnswer,
  type WorkspaceChange,
} from '../../../actors/workspace/workspace.ts';
import { configuredRouting } from '../../routing/workspaces.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { absentWords } from './absent.ts';
import { COMMAND_LINE } from './command-line.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom, addressFrom, amountFrom } from './names.ts';
import { pairs, print, table, timeOf } from './print.ts';
import { ASK_MS, requireAccount, type Session, withSession } from './session.ts';

interface SettingOptions extends GlobalOptions {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string;
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
      const found = await withSession(options, async (session) => {
        await requireAccount(session, accountAddress(owner));
        return listWorkspaces(session.operator, owner);
      });
      print(options, found, () => render(found));
    });
  withSettings(workspaces.command('create').argument('<account>', 'the account').argument('<name>', 'its name'))
    .description('create a workspace')
    .action(async (account: string, name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const change = changeOf(ownerFrom(account), workspaceId(systemRandom));
      const slug = change.id.toLowerCase().replace('_', '-');
      const settings = { ...NEW, slug, ...settingsOf(options), name };
      const after = await withSession(options, async ({ cluster, operator }) => {
        await requireFreeSlug(operator, change, settings.slug);
        return createWorkspace(cluster, change, settings);
      });
      printWorkspace(options, after);
    });
  withSettings(workspaces.command('set').argument('<workspace>', 'as ws_... or acct_.../ws_...'))
    .option('--name <name>', 'a new name')
    .description('change what the keys of a workspace are routed by')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SettingOptions>();
      const change = await named(workspace, options);
      const settings = { ...settingsOf(options), ...(options.name === undefined ? {} : { name: options.name }) };
      await applyChange(options, change, async ({ cluster, operator }) => {
        if (settings.slug !== undefined) await requireFreeSlug(operator, change, settings.slug);
        return updateWorkspace(cluster, change, settings);
      });
    });
  addMemberChanges(workspaces);
  addBudget(workspaces);
  workspaces
    .command('show')
    .argument('<workspace>', 'as ws_... or acct_.../ws_...')
    .description('show a workspace with its members and budgets')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { account, id } = await named(workspace, options);
      const found = await withSession(options, async ({ operator }) => {
        const stored = await listWorkspaces(operator, account);
        return stored.find((one) => one.id === id);
      });
      if (found === undefined) throw new ConfigError(absentWords(workspaceAddress(account, id)));
      print(options, found, () => renderOne(found));
    });
  workspaces
    .command('delete')
    .argument('<workspace>', 'as ws_... or acct_.../ws_...')
    .description('delete a workspace without keys')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const change = await named(workspace, options);
      const refused = await withSession(options, ({ cluster }) => deleteWorkspace(cluster, change));
      if (refused !== null) throw new ConfigError(refused.refusal.message);
      print(options, { deleted: true }, () => `deleted ${workspace}`);
    });
}

function addMemberChanges(workspaces: Command): void {
  workspaces
    .command('add-member')
    .argument('<workspace>', 'as ws_... or acct_.../ws_...')
    .argument('<user>', 'the id of the person')
    .option('--admin', 'with the role admin (default: member)')
    .description('add a member, or change the role of one')
    .action(async (workspace: string, user: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly admin?: boolean }>();
      const change = await named(workspace, options);
      const added = { users: [user], role: options.admin ? ('admin' as const) : ('member' as const) };
      await applyChange(options, change, ({ cluster }) => addMembers(cluster, change, added));
    });
  workspaces
    .command('remove-member')
    .argument('<workspace>', 'as ws_... or acct_.../ws_...')
    .argument('<user>', 'the id of the person')
    .description('remove a member')
    .action(async (workspace: string, user: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const change = await named(workspace, options);
      await applyChange(options, change, ({ cluster }) => removeMembers(cluster, change, [user]));
    });
}

function addBudget(workspaces: Command): void {
  workspaces
    .command('budget')
    .argument('<workspace>', 'as ws_... or acct_.../ws_...')
    .argument('<interval>', BUDGET_INTERVALS.join(', '))
    .argument('<usd>', 'the most that its keys may spend in the interval, or none')
    .description('set or remove a budget of a workspace')
    .action(async (workspace: string, name: string, usd: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const change = await named(workspace, options);
      const interval = BUDGET_INTERVALS.find((one) => one === name);
      if (interval === undefined) throw new ConfigError(`the interval must be one of ${BUDGET_INTERVALS.join(', ')}`);
      const limit = usd === 'none' ? null : amountFrom(usd);
      await applyChange(options, change, ({ cluster }) => setBudget(cluster, change, { interval, limit }));
    });
}

const NEW = { description: null, zeroRetention: false, partition: 'model', allowed: null, ignored: [] } as const;

function withSettings(command: Command): Command {
  return command
    .option('--slug <slug>', 'names it in paths beside its id: lower case words, digits and single hyphens')
    .option('--description <text>', 'what it is for, or none')
    .option('--zdr <yes or no>', 'only endpoints vetted for zero data retention')
    .option('--partition <model or none>', 'how the endpoints of several models are tried')
    .option('--allow <providers>', 'only these, separated by commas, or all')
    .option('--ignore <providers>', 'never these, separated by commas, or none');
}

/** Of the default workspace until it gets another one. */
const DEFAULT_SLUG = 'default';
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SLUG_CHARACTERS_MAX = 50;
const DESCRIPTION_CHARACTERS_MAX = 1_000;

function settingsOf(options: SettingOptions): Partial<WorkspaceSettings> {
  const { zdr, partition, allow, ignore, slug, description } = options;
  if (slug !== undefined && (!SLUG.test(slug) || slug.length > SLUG_CHARACTERS_MAX)) {
    throw new ConfigError(`--slug must be lower case words, digits and single hyphens, at most ${SLUG_CHARACTERS_MAX}`);
  }
  if ((description?.length ?? 0) > DESCRIPTION_CHARACTERS_MAX) {
    throw new ConfigError(`--description must have at most ${DESCRIPTION_CHARACTERS_MAX} characters`);
  }
  if (zdr !== undefined && zdr !== 'yes' && zdr !== 'no') throw new ConfigError('--zdr must be yes or no');
  if (partition !== undefined && partition !== 'model' && partition !== 'none') {
    throw new ConfigError('--partition must be model or none');
  }
  return {
    ...(slug === undefined ? {} : { slug }),
    ...(description === undefined ? {} : { description: description === 'none' ? null : description }),
    ...(zdr === undefined ? {} : { zeroRetention: zdr === 'yes' }),
    ...(partition === undefined ? {} : { partition }),
    ...(allow === undefined ? {} : { allowed: allow === 'all' ? null : allow.split(',') }),
    ...(ignore === undefined ? {} : { ignored: ignore === 'none' ? [] : ignore.split(',') }),
  };
}

/** As `/workspaces` refuses it: a slug names one workspace of an account. */
async function requireFreeSlug(
  rows: Session['operator'],
  { account, id }: WorkspaceChange,
  slug: string,
): Promise<void> {
  const stored = await listWorkspaces(rows, account);
  const isTaken = stored.some((one) => one.slug === slug && one.id !== id);
  const isDefaults =
    slug === DEFAULT_SLUG && id !== defaultWorkspaceId(account) && !stored.some((one) => one.isDefault);
  if (isTaken || isDefaults) throw new ConfigError(`another workspace of the account has the slug ${slug}`);
}

/** A change of a workspace that exists. The default one is stored at its first change. */
async function applyChange(
  options: GlobalOptions,
  change: WorkspaceChange,
  run: (session: Session) => Promise<WorkspaceAnswer>,
): Promise<void> {
  const after = await withSession(options, async (session) => {
    const { account, id } = change;
    const isUnstored =
      id === defaultWorkspaceId(account) &&
      (await listWorkspaces(session.operator, account)).every((one) => one.id !== id);
    if (isUnstored) {
      const config = await loadConfig({ file: options.config, data: options.data, cwd: process.cwd(), env: null });
      const { createdAt } = await showAccount(session.cluster, accountAddress(account), ASK_MS);
      const routing = configuredRouting(config);
      const origin = unchangedDefault(account, routing, createdAt ?? 0);
      await createWorkspace(session.cluster, change, settingsOfDefault(routing), origin);
    }
    return run(session);
  });
  printWorkspace(options, after);
}

function printWorkspace(options: GlobalOptions, after: WorkspaceAnswer): void {
  if ('refusal' in after) throw new ConfigError(after.refusal.message);
  print(options, after, () => render([after]));
}

function renderOne(one: WorkspaceRecord): string {
  return pairs({
    ...{ workspace: addressOf(one), name: one.name, slug: one.slug, description: one.description },
    ...{ zdr: one.zeroRetention ? 'yes' : 'no', partition: one.partition },
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

function ownerFrom(account: string): string {
  return accountFrom(account).slice(accountAddress('').length);
}

/** `ws_...` or `acct_1/ws_...` @throws ConfigError */
async function named(text: string, options: GlobalOptions): Promise<WorkspaceChange> {
  const address = isWorkspaceId(text) ? await addressFrom(text, options) : text;
  const [owner = '', id = ''] = address.replace(/^workspace:/, '').split('/');
  if (isWorkspaceId(id)) return changeOf(ownerFrom(owner), id);
  throw new ConfigError(
    `"${text}" is not a workspace; write ws_... or acct_.../ws_... as \`troupe workspaces list\` prints it`,
  );
}

function changeOf(account: string, id: string): WorkspaceChange {
  return { account, id, by: COMMAND_LINE, withinMs: ASK_MS };
}
