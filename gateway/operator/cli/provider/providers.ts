/** `troupe providers`: what is declared, pauses of it, and the keys of a provider's account. */
import type { Earning } from '../../../../actors/provider/earnings.ts';
import type { RefreshState } from '../../../../actors/provider/refreshes.ts';
import { providerAccountId } from '../../../../actors/terms/ids.ts';
import { parseMonth } from '../../../../actors/terms/month.ts';
import { statementLines } from '../../../api/provider/provider-statements.ts';
import { csv } from '../../../terms/csv.ts';
import type { ListedProvider } from '../../api/endpoints.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { providerFrom } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { createdKey, KEY_OPTIONS, keysOf, newKey, renderKeys, renderMade } from '../key/keys.ts';
import { failureCell } from './endpoints.ts';
import { pauses } from './pauses.ts';
import { realProviders } from './real-providers.ts';

const DECLARED = { '<provider>': { meaning: 'the slug of a declared provider', parse: providerFrom } } as const;

export const commands = [
  group('providers', "add, test, list, pause and resume the providers; their accounts' keys", [
    ...realProviders,

    ...pauses(
      { '<provider>': { meaning: 'the slug, as `troupe providers list` prints it', parse: providerFrom } },
      ({ provider }) => route`/api/providers/${provider}`,
    ),

    command(
      'list',
      'list providers: how many of their endpoints serve and why not, their account, their models document',
      {
        ask: async (_, api) => (await api.get<{ data: readonly ListedProvider[] }>('/api/providers')).data,
        print: renderProviders,
      },
    ),

    group('keys', "create and list the keys of a provider's account", [
      command('create', 'create a key that reads and reports for the provider and spends nothing; shown only once', {
        arguments: DECLARED,
        options: KEY_OPTIONS,
        ask: ({ provider, reason, ...options }, api) => {
          const key = newKey(options, 'provider');
          return createdKey(api, route`/api/providers/${provider}/keys`, { key, reason });
        },
        print: renderMade,
      }),
      command('list', "list the keys of a provider's account; `troupe keys` changes them", {
        arguments: { '<provider>': 'the slug of a provider' },
        ask: ({ provider }, api) => keysOf(api, providerAccountId(provider)),
        print: renderKeys,
      }),
    ]),

    command('history', 'the readings of its models document on command, newest first, with their faults', {
      arguments: DECLARED,
      ask: ({ provider }, api) => api.get<RefreshState>(route`/api/providers/${provider}/refreshes`),
      print: renderHistory,
    }),

    command('earnings', 'what a provider earned in a month, by day and endpoint', {
      arguments: DECLARED,
      options: {
        '--month <month>': { meaning: 'YYYY-MM, UTC (default: the running one)', parse: monthFrom },
        '--csv': 'as CSV, as the provider downloads it',
      },
      ask: async ({ provider, month, csv: asCsv }, api) => {
        const path = route`/api/providers/${provider}/earnings`;
        const earned = (await api.get<{ data: readonly Earning[] }>(path, { month })).data;
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
function monthFrom(text: string): string {
  if (parseMonth(text) !== null) return text;
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

function renderProviders(found: readonly ListedProvider[]): string {
  const head = ['PROVIDER', 'NAME', 'STATUS', 'ENDPOINTS', 'LAST FAILURE', 'UNCHANGED SINCE', 'ACCOUNT'];
  const rows = found.map((one) => [
    one.slug,
    one.name,
    one.status,
    one.why.join(' '),
    failureCell(one.lastFailure),
    timeOf(one.document.since) ?? 'never',
    one.account,
    one.paused?.reason ?? one.document.problem,
  ]);
  return table([...head, 'PAUSED FOR, OR PROBLEM'], rows);
}
