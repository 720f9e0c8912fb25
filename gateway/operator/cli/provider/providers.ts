/** `troupe providers`: what is declared, pauses of it, and the keys of a provider's account. */
import type { Command } from 'commander';
import { createAccount } from '../../../../actors/account/account.ts';
import type { Earning } from '../../../../actors/provider/earnings.ts';
import type { ProviderState } from '../../../../actors/provider/provider.machine.ts';
import type { RefreshState } from '../../../../actors/provider/refreshes.ts';
import { systemClock } from '../../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../../actors/terms/endpoint.ts';
import { accountAddress, providerAccountId, providerAddress } from '../../../../actors/terms/ids.ts';
import type { Pause } from '../../../../actors/terms/pause.ts';
import { statementLines } from '../../../api/provider/provider-statements.ts';
import { ProviderEarnings } from '../../../jobs/earnings/provider-earnings.ts';
import { monthOf, parseMonth } from '../../../management/statement.ts';
import { csv } from '../../../terms/csv.ts';
import { inspectAll } from '../../ask-all.ts';
import { ConfigError } from '../../config/config-error.ts';
import { endpointsAt, type ProviderHealth, providerHealth } from '../../provider-health.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { providerFrom, tenantFrom } from '../frame/names.ts';
import { print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, type Session, withManagement, withSession } from '../frame/session.ts';
import { type CreateOptions, createKeyOf, newKey, printKeysOf, shownMade, UNNAMED } from '../key/keys.ts';
import { failureCell, modelListCell } from './endpoints.ts';
import { addPauses } from './pauses.ts';

export function addProviders(program: Command): void {
  const providers = program
    .command('providers')
    .description("list, pause and resume the providers; their accounts' keys");
  addPauses(providers, ['<provider>', 'the slug, as `troupe providers list` prints it'], providerFrom);
  providers
    .command('list')
    .description('list providers: how many of their endpoints serve and why not, their account, their models document')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await withSession(options, providersOf);
      print(options, found, () => renderProviders(found));
    });
  addProviderKeys(providers);
  providers
    .command('history')
    .argument('<provider>', 'the slug of a declared provider')
    .description('the readings of its models document on command, newest first, with their faults')
    .action(async (slug: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { refreshes } = await withSession(options, (session) => declaredProvider(session, slug));
      const found = refreshes ?? { running: null, history: [] };
      print(options, found, () => renderHistory(found));
    });
  providers
    .command('earnings')
    .argument('<provider>', 'the slug of a declared provider')
    .option('--month <month>', 'YYYY-MM, UTC (default: the running one)')
    .option('--csv', 'as CSV, as the provider downloads it')
    .description('what a provider earned in a month, by day and endpoint')
    .action(async (slug: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<EarningsOptions>();
      const earned = await withSession(options, (session) => earningsIn(session, slug, options.month));
      const lines = statementLines(earned);
      if (options.csv) process.stdout.write(csv(lines));
      else print(options, earned, () => table([...(lines[0] as string[])], lines.slice(1)));
    });
}

interface EarningsOptions extends GlobalOptions {
  readonly month?: string;
  readonly csv?: boolean;
}

/** @throws ConfigError */
async function earningsIn(session: Session, slug: string, name: string | undefined): Promise<readonly Earning[]> {
  const month = name === undefined ? monthOf(systemClock.now()) : parseMonth(name);
  if (month === null) throw new ConfigError(`"${name}" is not a month; write YYYY-MM, such as 2026-01`);
  const { facts } = await declaredProvider(session, slug);
  const reader = new ProviderEarnings(session.cluster, ASK_MS);
  return (await reader.read(facts, month)).earnings;
}

function renderHistory({ running, history }: RefreshState): string {
  const rows = history.map(({ startedAt, by, result, endpoints, changes, faults, warnings }) => [
    ...[timeOf(startedAt) ?? '', by, result, String(endpoints), String(changes)],
    [...faults, ...warnings].join('; '),
  ]);
  const now =
    running === null
      ? []
      : [[timeOf(running.startedAt) ?? '', running.by, running.phase, String(running.declared), '', '']];
  return table(['BEGUN', 'BY', 'RESULT', 'ENDPOINTS', 'CHANGES', 'FAULTS AND WARNINGS'], [...now, ...rows]);
}

function addProviderKeys(providers: Command): void {
  const keys = providers.command('keys').description("create and list the keys of a provider's account");
  keys
    .command('create')
    .argument('<provider>', 'the slug of a declared provider')
    .option('--name <name>', 'a display name', UNNAMED)
    .option('--expires <time>', 'when the key expires, such as 2030-01-31T00:00:00Z')
    .option('--per-minute <count>', 'requests per minute (default: as configured)')
    .description('create a key that reads and reports for the provider and spends nothing; shown only once')
    .action(async (slug: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const input = newKey(options, 'provider');
      const made = await withManagement(options, async (services, session) => {
        const account = await openProviderAccount(session, slug);
        return createKeyOf(services, tenantFrom(account), input);
      });
      print(options, ...shownMade(made));
    });
  keys
    .command('list')
    .argument('<provider>', 'the slug of a provider')
    .description("list the keys of a provider's account; `troupe keys` changes them")
    .action((slug: string, _: unknown, command: Command) =>
      printKeysOf(providerAccountId(slug), command.optsWithGlobals()),
    );
}

/** The account that belongs to a declared provider, created with its first key. @throws ConfigError */
async function openProviderAccount(session: Session, slug: string): Promise<string> {
  const { cluster } = session;
  await declaredProvider(session, slug);
  const account = accountAddress(providerAccountId(slug));
  await createAccount(cluster, account, `Provider ${slug}`, ASK_MS);
  return account;
}

/** @throws ConfigError */
async function declaredProvider(
  { operator }: Session,
  slug: string,
): Promise<ProviderState & { readonly facts: ProviderFacts }> {
  const found = await operator.inspect(providerAddress(slug)).catch(() => null);
  const state = found?.context as unknown as ProviderState | undefined;
  if (!state?.facts) throw new ConfigError(`no provider "${slug}" is declared; see \`troupe providers list\``);
  return { ...state, facts: state.facts };
}

interface ShownProvider extends Omit<ProviderHealth, 'summary'> {
  readonly address: string;
  readonly slug: string;
  readonly name: string | null;
  /** The account that belongs to it; created with its first key. */
  readonly account: string;
  readonly status: string;
  readonly paused: Pause | null;
  /** How many endpoints serve, and why the others do not. */
  readonly health: string;
  /** Since when its models document is unchanged; null: never read. */
  readonly readAt: string | null;
  readonly problem: string | null;
}

async function providersOf({ operator }: Session): Promise<readonly ShownProvider[]> {
  const [found, endpoints] = await Promise.all([inspectAll(operator, 'provider'), inspectAll(operator, 'endpoint')]);
  return found.map(({ address, state, context, explanation }) => {
    // Of a quarantined provider only the slug is known.
    const known = context as unknown as ProviderState | null;
    const slug = address.slice('provider:'.length);
    const paused = known?.paused ?? null;
    const { summary, ...health } = providerHealth(endpointsAt(slug, endpoints), paused);
    return {
      address,
      slug,
      name: known?.facts?.name ?? null,
      account: providerAccountId(slug),
      ...{ status: paused === null ? state : `${state}, paused`, paused, ...health, health: summary },
      readAt: timeOf(known?.document?.since ?? null),
      problem: known === null ? (explanation[0] ?? null) : (known.document?.problem ?? null),
    };
  });
}

function renderProviders(found: readonly ShownProvider[]): string {
  const rows = found.map((one) => [
    one.slug,
    one.name ?? '',
    one.status,
    one.health,
    modelListCell(one.modelList),
    failureCell(one.lastFailure),
    one.readAt ?? 'never',
    one.account,
    one.paused?.reason ?? one.problem ?? '',
  ]);
  return table(
    [
      'PROVIDER',
      'NAME',
      'STATUS',
      'ENDPOINTS',
      'MODEL LIST',
      'LAST FAILURE',
      'UNCHANGED SINCE',
      'ACCOUNT',
      'PAUSED FOR, OR PROBLEM',
    ],
    rows,
  );
}
