/** `troupe refusals`: records the raw refusals of a provider for a bounded time, redacted, and shows them. */
import type { Command } from 'commander';
import { type NotedRefusal, REFUSALS_COLLECTION, recordRefusals } from '../../../../actors/provider/refusals.ts';
import { providerAddress } from '../../../../actors/terms/ids.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { print, timeOf } from '../frame/print.ts';
import { ASK_MS, withSession } from '../frame/session.ts';

const SHOWN_MAX = 100;
const MINUTES = '15';

const RECORD_HELP = `
Every node then sends what the provider answers instead of an answer, at most one refusal a second, without the
operator's keys and without the parts of the request that it quotes. The newest 100 are kept for a day.`;

export function addRefusals(program: Command): void {
  const refusals = program.command('refusals').description('record and show raw refusals of a provider');
  refusals
    .command('record')
    .argument('<provider>', 'the slug of the provider')
    .option('--minutes <n>', 'for how long, at most 1440; 0 ends the recording and removes what was recorded', MINUTES)
    .description('record the raw refusals of a provider for a bounded time, redacted')
    .addHelpText('after', RECORD_HELP)
    .action(async (provider: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly minutes: string }>();
      const minutes = minutesFrom(options.minutes);
      const { until } = await withSession(options, ({ cluster }) => recordRefusals(cluster, provider, minutes, ASK_MS));
      print(options, { provider, until }, () =>
        until === null
          ? `the refusals of ${provider} are not recorded, and none are kept`
          : `the refusals of ${provider} are recorded until ${timeOf(until)}; \`troupe refusals list ${provider}\` shows them`,
      );
    });
  refusals
    .command('list')
    .argument('<provider>', 'the slug of the provider')
    .description('show the recorded refusals of a provider, newest first')
    .action(async (provider: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const query = {
        collection: REFUSALS_COLLECTION,
        address: providerAddress(provider),
        order: 'descending',
        limit: SHOWN_MAX,
      } as const;
      const rows = await withSession(options, async ({ operator }) => {
        const stored = await operator.rows(query);
        if (stored.length > 0 || (await operator.inspect(query.address))) return stored;
        throw new ConfigError(`there is no provider ${provider}; \`troupe providers list\` shows the providers`);
      });
      const found = rows.map((row) => JSON.parse(row.body) as NotedRefusal);
      print(options, found, () => renderRefusals(provider, found));
    });
}

function renderRefusals(provider: string, found: readonly NotedRefusal[]): string {
  if (found.length === 0)
    return `no refusal of ${provider} is recorded; start with \`troupe refusals record ${provider}\``;
  return found
    .map(({ at, endpoint, generation, status, code, text }) => {
      const head = `${timeOf(at)}  ${endpoint}  ${generation}  ${status ?? 'in an answer'}  ${code}`;
      return `${head}\n  ${printable(text)}`;
    })
    .join('\n');
}

/** The text of another server: control characters would reach the terminal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ');
}

function minutesFrom(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new ConfigError(`"${text}" is not a number of minutes; write a whole number from 0 to 1440`);
}
