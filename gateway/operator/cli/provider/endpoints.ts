/** `troupe endpoints`: what is declared, how it is doing, and pauses of it. */
import type { ListedEndpoint, ListedProvider } from '../../api/endpoints.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { endpointFrom } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { table, timeOf } from '../frame/print.ts';
import { pauses } from './pauses.ts';

const LIST_MAX = 10_000;

interface EndpointFilters {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** The declared endpoints, by model and provider. @throws ConfigError if a filter names what is not declared */
async function endpointsOf(api: OperatorApi, { model, provider }: EndpointFilters): Promise<readonly ListedEndpoint[]> {
  const found = await api.list<ListedEndpoint>('/api/endpoints', { model, provider }, LIST_MAX);
  const filters = [
    ...(model === undefined ? [] : [`of model ${model}`]),
    ...(provider === undefined ? [] : [`at ${provider}`]),
  ];
  if (found.length > 0 || filters.length === 0) return found;
  throw new ConfigError(`there is no endpoint ${filters.join(' ')}; \`troupe endpoints list\` shows all`);
}

/** The figures to sort by: the worst first, what is not measured last. */
const FIGURES = {
  latency: ({ day }: Measured) => day.latencySeconds,
  response: ({ day }: Measured) => day.responseSeconds,
  throughput: ({ day }: Measured) => negative(day.tokensPerSecond),
  uptime: ({ day }: Measured) => negative(day.uptimePercent),
} as const;

type Measured = Pick<ListedEndpoint, 'day'>;

export const commands = [
  group('endpoints', 'list, pause and resume the endpoints that serve the models', [
    command('list', 'list endpoints with model, provider, health, the reason for it, and the last failure', {
      options: {
        '--model <id>': 'only those of one model',
        '--provider <slug>': 'only those of one provider',
        '--sort <figure>': `the worst first, by its median of a day: ${Object.keys(FIGURES).join(', ')}`,
      },
      ask: async ({ sort, ...filters }, api) => sorted(await endpointsOf(api, filters), sort),
      print: renderEndpoints,
    }),
    ...pauses(
      { '<endpoint>': { meaning: 'the id, ep_..., as `troupe endpoints list` prints it', parse: endpointFrom } },
      ({ endpoint }) => route`/api/endpoints/${endpoint}`,
    ),
  ]),
];

/** By the figure that `--sort` names. @throws ConfigError */
export function sorted<E extends Measured>(found: readonly E[], figure: string | undefined): readonly E[] {
  if (figure === undefined) return found;
  if (!Object.hasOwn(FIGURES, figure)) {
    throw new ConfigError(`"${figure}" is not a figure to sort by; write ${Object.keys(FIGURES).join(', ')}`);
  }
  const of = FIGURES[figure as keyof typeof FIGURES];
  const rank = (one: Measured): number => of(one) ?? Number.NEGATIVE_INFINITY;
  return [...found].sort((a, b) => (rank(b) < rank(a) ? -1 : Number(rank(b) > rank(a))));
}

function negative(value: number | null): number | null {
  return value === null ? null : -value;
}

function renderEndpoints(found: readonly ListedEndpoint[]): string {
  const rows = found.map(({ model, provider, health, paused, day, address, reason, lastFailure }) => [
    model,
    provider,
    health,
    figure(day.uptimePercent, '%'),
    figure(day.latencySeconds, 's'),
    figure(day.responseSeconds, 's'),
    figure(day.tokensPerSecond, '/s'),
    address,
    paused?.reason ?? reason,
    failureCell(lastFailure),
  ]);
  const figures = ['UPTIME 1D', 'TTFT P50', 'RESPONSE P50', 'TOKENS P50'];
  return table(['MODEL', 'PROVIDER', 'HEALTH', ...figures, 'ADDRESS', 'REASON', 'LAST FAILURE'], rows);
}

export function failureCell(failure: ListedProvider['lastFailure']): string {
  return failure === null ? '-' : `${timeOf(failure.at)} ${failure.category}, ${failure.message}`;
}

function figure(value: number | null, unit: string): string {
  return value === null ? '-' : `${value} ${unit}`;
}
