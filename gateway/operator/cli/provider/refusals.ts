/** `troupe refusals`: records the raw refusals of a provider for a bounded time, redacted, and shows them. */
import type { NotedRefusal } from '../../../../actors/provider/refusals.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { providerFrom, reason } from '../frame/names.ts';
import { inLine, timeOf } from '../frame/print.ts';

const PROVIDER = { '<provider>': { meaning: 'the slug of the provider', parse: providerFrom } } as const;

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
        '--reason <text>': reason('why, for the record', 'to see its refusals'),
      },
      help: RECORD_HELP,
      ask: async ({ provider, minutes, reason: why }, api) => {
        const path = route`/api/providers/${provider}/refusals/record`;
        const { until } = await api.post<{ until: number | null }>(path, { minutes, reason: why });
        return { provider, until };
      },
      print: ({ provider, until }) =>
        until === null
          ? `the refusals of ${provider} are not recorded, and none are kept`
          : `the refusals of ${provider} are recorded until ${timeOf(until)}; \`troupe refusals list ${provider}\` shows them`,
    }),
    command('list', 'show the recorded refusals of a provider, newest first', {
      arguments: PROVIDER,
      ask: async ({ provider }, api) =>
        (await api.get<{ data: readonly NotedRefusal[] }>(route`/api/providers/${provider}/refusals`)).data,
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
