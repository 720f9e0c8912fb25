/** `troupe providers`: what is declared, pauses of it, and the keys of a provider's account. */
import { createAccount } from '../../../../actors/account/account.ts';
import type { ProviderState } from '../../../../actors/provider/provider.machine.ts';
import type { RefreshState } from '../../../../actors/provider/refreshes.ts';
import { systemClock } from '../../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../../actors/terms/endpoint.ts';
import { accountAddress, providerAccountId, providerAddress } from '../../../../actors/terms/ids.ts';
import { monthOf, parseMonth } from '../../../../actors/terms/month.ts';
import type { Pause } from '../../../../actors/terms/pause.ts';
import { statementLines } from '../../../api/provider/provider-statements.ts';
import { ProviderEarnings } from '../../../jobs/earnings/provider-earnings.ts';
import { csv } from '../../../terms/csv.ts';
import { inspectAll } from '../../ask-all.ts';
import { ConfigError } from '../../config/config-error.ts';
import { endpointsAt, type ProviderHealth, providerHealth } from '../../provider-health.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { ownerFrom, providerFrom } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { ASK_MS, type Session } from '../frame/session.ts';
import { createKeyOf, KEY_OPTIONS, keysOf, newKey, renderKeys, renderMade } from '../key/keys.ts';
import { failureCell, modelListCell } from './endpoints.ts';
import { pauses } from './pauses.ts';
import { realProviders } from './real-providers.ts';

const DECLARED = { '<provider>': 'the slug of a declared provider' } as const;

export const commands = [
  group('providers', "add, test, list, pause and resume the providers; their accounts' keys", [
    ...realProviders,

    ...pauses(
      { '<provider>': { meaning: 'the slug, as `troupe providers list` prints it', parse: providerFrom } },
      ({ provider }) => provider,
    ),

    command(
      'list',
      'list providers: how many of their endpoints serve and why not, their account, their models document',
      { ask: (_, session) => providersOf(session), print: renderProviders },
    ),

    group('keys', "create and list the keys of a provider's account", [
      command('create', 'create a key that reads and reports for the provider and spends nothing; shown only once', {
        arguments: DECLARED,
        options: KEY_OPTIONS,
        ask: async ({ provider, ...options }, session) => {
          const account = await openProviderAccount(session, provider);
          return createKeyOf(session.services, ownerFrom(account), newKey(options, 'provider'));
        },
        print: renderMade,
      }),
      command('list', "list the keys of a provider's account; `troupe keys` changes them", {
        arguments: { '<provider>': 'the slug of a provider' },
        ask: ({ provider }, session) => keysOf(session, ownerFrom(providerAccountId(provider))),
        print: renderKeys,
      }),
    ]),

    command('history', 'the readings of its models document on command, newest first, with their faults', {
      arguments: DECLARED,
      ask: async ({ provider }, session) => {
        const { refreshes } = await declaredProvider(session, provider);
        return refreshes ?? { running: null, history: [] };
      },
      print: renderHistory,
    }),

    command('earnings', 'what a provider earned in a month, by day and endpoint', {
      arguments: DECLARED,
      options: {
        '--month <month>': { meaning: 'YYYY-MM, UTC (default: the running one)', parse: monthFrom },
        '--csv': 'as CSV, as the provider downloads it',
      },
      ask: async ({ provider, month = monthOf(systemClock.now()), csv: asCsv }, session) => {
        const { facts } = await declaredProvider(session, provider);
        const earned = (await new ProviderEarnings(session.cluster, ASK_MS).read(facts, month)).earnings;
        if (!asCsv) return earned;
        process.stdout.write(csv(statementLines(earned)));
        return undefined;
      },
      print: (earned) => {
        const [head = [], ...lines] = statementLines(earned);
        return table(head, lines);
      },
    }),
  ]),
];

/** @throws ConfigError */
function monthFrom(text: string) {
  const month = parseMonth(text);
  if (month !== null) return month;
  throw new ConfigError(`"${text}" is not a month; write YYYY-MM, such as 2026-01`);
}

function renderHistory({ running, history }: RefreshState): string {
  const rows = history.map(({ startedAt, by, result, endpoints, changes, faults, warnings }) => [
    timeOf(startedAt),
    by,
    result,
    endpoints,
    changes,
    [...faults, ...warnings].join('; '),
  ]);
  const now =
    running === null ? [] : [[timeOf(running.startedAt), running.by, running.phase, running.declared, '', '']];
  return table(['BEGUN', 'BY', 'RESULT', 'ENDPOINTS', 'CHANGES', 'FAULTS AND WARNINGS'], [...now, ...rows]);
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
      status: paused === null ? state : `${state}, paused`,
      paused,
      ...health,
      health: summary,
      readAt: timeOf(known?.document?.since ?? null),
      problem: known === null ? (explanation[0] ?? null) : (known.document?.problem ?? null),
    };
  });
}

function renderProviders(found: readonly ShownProvider[]): string {
  const head = ['PROVIDER', 'NAME', 'STATUS', 'ENDPOINTS', 'MODEL LIST', 'LAST FAILURE', 'UNCHANGED SINCE', 'ACCOUNT'];
  const rows = found.map((one) => [
    one.slug,
    one.name,
    one.status,
    one.health,
    modelListCell(one.modelList),
    failureCell(one.lastFailure),
    one.readAt ?? 'never',
    one.account,
    one.paused?.reason ?? one.problem,
  ]);
  return table([...head, 'PAUSED FOR, OR PROBLEM'], rows);
}
