/** `troupe refusals`: records the raw refusals of a provider for a bounded time, redacted, and shows them. */
import { type NotedRefusal, REFUSALS_COLLECTION, recordRefusals } from '../../../../actors/provider/refusals.ts';
import { providerAddress } from '../../../../actors/terms/ids.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { inLine, timeOf } from '../frame/print.ts';
import { ASK_MS } from '../frame/session.ts';

const SHOWN_MAX = 100;
const PROVIDER = { '<provider>': 'the slug of the provider' } as const;

const RECORD_HELP = `
Every node then sends what the provider answers instead of an answer, at most one refusal a second, without the
operator's keys and without the parts of the request that it quotes. The newest 100 are kept for a day.`;

export const commands = [
  group('refusals', 'record and show raw refusals of a provider', [
    command('record', 'record the raw refusals of a provider for a bounded time, redacted', {
      arguments: PROVIDER,
      options: {
        '--minutes <n>': {
          meaning: 'for how long, at most 1440; 0 ends the recording and removes what was recorded',
          parse: minutesFrom,
          default: '15',
        },
      },
      help: RECORD_HELP,
      ask: async ({ provider, minutes }, { cluster }) => {
        const { until } = await recordRefusals(cluster, provider, minutes, ASK_MS);
        return { provider, until };
      },
      print: ({ provider, until }) =>
        until === null
          ? `the refusals of ${provider} are not recorded, and none are kept`
          : `the refusals of ${provider} are recorded until ${timeOf(until)}; \`troupe refusals list ${provider}\` shows them`,
    }),
    command('list', 'show the recorded refusals of a provider, newest first', {
      arguments: PROVIDER,
      ask: async ({ provider }, { operator }) => {
        const address = providerAddress(provider);
        const query = { collection: REFUSALS_COLLECTION, address, order: 'descending', limit: SHOWN_MAX } as const;
        const rows = await operator.rows(query);
        if (rows.length === 0 && !(await operator.inspect(address)))
          throw new ConfigError(`there is no provider ${provider}; \`troupe providers list\` shows the providers`);
        return rows.map((row) => JSON.parse(row.body) as NotedRefusal);
      },
      print: (found, { provider }) => renderRefusals(provider, found),
    }),
  ]),
];

function renderRefusals(provider: string, found: readonly NotedRefusal[]): string {
  if (found.length === 0)
    return `no refusal of ${provider} is recorded; start with \`troupe refusals record ${provider}\``;
  return found
    .map(({ at, endpoint, generation, status, code, text }) => {
      const head = `${timeOf(at)}  ${endpoint}  ${generation}  ${status ?? 'in an answer'}  ${code}`;
      return `${head}\n  ${inLine(text)}`;
    })
    .join('\n');
}

function minutesFrom(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new ConfigError(`"${text}" is not a number of minutes; write a whole number from 0 to 1440`);
}
