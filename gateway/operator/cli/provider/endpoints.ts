/** `troupe endpoints`: what is declared, how it is doing, and pauses of it. */
import type { FailingList } from '../../../../actors/endpoint/health.ts';
import type { EndpointRecord } from '../../../../actors/endpoint/record.ts';
import type { Inspection } from '../../../../actors/runtime/index.ts';
import type { DatedFailure, Measured } from '../../../../actors/terms/endpoint.ts';
import { providerAddress } from '../../../../actors/terms/ids.ts';
import type { Pausable, Pause } from '../../../../actors/terms/pause.ts';
import { inspectAll } from '../../ask-all.ts';
import { ConfigError } from '../../config/config-error.ts';
import { explainProviderPause } from '../../explained.ts';
import { command } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { endpointFrom } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import type { Session } from '../frame/session.ts';
import { pauses } from './pauses.ts';

interface EndpointFilters {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** @throws ConfigError if a filter names what is not declared */
function requireSome({ model, provider }: EndpointFilters): void {
  const filters = [
    ...(model === undefined ? [] : [`of model ${model}`]),
    ...(provider === undefined ? [] : [`at ${provider}`]),
  ];
  if (filters.length === 0) return;
  throw new ConfigError(`there is no endpoint ${filters.join(' ')}; \`troupe endpoints list\` shows all`);
}

export interface ShownEndpoint {
  readonly address: string;
  readonly model: string;
  readonly provider: string;
  readonly health: string;
  /** Of the endpoint or of its provider. */
  readonly paused: Pause | null;
  /** The figures as the catalogue publishes them; null where the state of the endpoint does not load. */
  readonly measured: Measured | null;
  /** While the provider's model list fails. */
  readonly modelList: FailingList | null;
  readonly lastFailure: DatedFailure | null;
  /** The sentences of `troupe why` behind the first. */
  readonly reasons: readonly string[];
}

/** The declared endpoints, by model and provider. */
export async function endpointsOf(
  { operator }: Session,
  { model, provider }: EndpointFilters,
): Promise<readonly ShownEndpoint[]> {
  const [found, providers] = await Promise.all([inspectAll(operator, 'endpoint'), inspectAll(operator, 'provider')]);
  const pauses = new Map(providers.map(({ address, context }) => [address, (context ?? {}) as Pausable]));
  return found
    .flatMap((one) => shownEndpoint(one, pauses))
    .filter((one) => (model ?? one.model) === one.model && (provider ?? one.provider) === one.provider)
    .sort((a, b) => compare(a.model, b.model) || compare(a.provider, b.provider));
}

function shownEndpoint(
  { address, state, context, explanation }: Inspection,
  pauses: ReadonlyMap<string, Pausable>,
): readonly ShownEndpoint[] {
  const record = context as unknown as EndpointRecord | null;
  if (record === null) return [unreadable(address, state, explanation)];
  if (record.declaration === null) return [];
  const { measured, list, lastFailure, paused: own = null } = record;
  const { model, provider } = record.declaration;
  const around = pauses.get(providerAddress(provider.slug)) ?? {};
  return [
    {
      address,
      model,
      provider: provider.slug,
      health: state,
      paused: own ?? around.paused ?? null,
      measured,
      modelList: list,
      lastFailure,
      reasons: [...explainProviderPause(provider.slug, around), ...explanation.slice(1)],
    },
  ];
}

/** The row of a quarantined endpoint: only its id is known. */
function unreadable(address: string, health: string, reasons: readonly string[]): ShownEndpoint {
  const unknown = { paused: null, measured: null, modelList: null, lastFailure: null };
  return { address, model: '', provider: '', health, ...unknown, reasons };
}

/** The figures to sort by: the worst first, what is not measured last. */
const FIGURES = {
  latency: ({ measured }: ShownEndpoint) => measured?.ttft1d?.p50 ?? null,
  response: ({ measured }: ShownEndpoint) => measured?.response1d?.p50 ?? null,
  throughput: ({ measured }: ShownEndpoint) => negative(measured?.throughput1d?.p50 ?? null),
  uptime: ({ measured }: ShownEndpoint) => negative(measured?.uptime1d ?? null),
} as const;

export const commands = [
  group('endpoints', 'list, pause and resume the endpoints that serve the models', [
    command('list', 'list endpoints with model, provider, health, the reason for it, and the last failure', {
      options: {
        '--model <id>': 'only those of one model',
        '--provider <slug>': 'only those of one provider',
        '--sort <figure>': `the worst first, by its median of a day: ${Object.keys(FIGURES).join(', ')}`,
      },
      ask: async ({ sort, ...filters }, session) => {
        const found = await endpointsOf(session, filters);
        if (found.length === 0) requireSome(filters);
        return sorted(found, sort);
      },
      print: renderEndpoints,
    }),
    ...pauses(
      { '<endpoint>': { meaning: 'the id, ep_..., as `troupe endpoints list` prints it', parse: endpointFrom } },
      ({ endpoint }) => endpoint,
    ),
  ]),
];

/** By the figure that `--sort` names. @throws ConfigError */
export function sorted(found: readonly ShownEndpoint[], figure: string | undefined): readonly ShownEndpoint[] {
  if (figure === undefined) return found;
  if (!Object.hasOwn(FIGURES, figure)) {
    throw new ConfigError(`"${figure}" is not a figure to sort by; write ${Object.keys(FIGURES).join(', ')}`);
  }
  const of = FIGURES[figure as keyof typeof FIGURES];
  const rank = (one: ShownEndpoint): number => of(one) ?? Number.NEGATIVE_INFINITY;
  return [...found].sort((a, b) => compare(rank(b), rank(a)));
}

function negative(value: number | null): number | null {
  return value === null ? null : -value;
}

function renderEndpoints(found: readonly ShownEndpoint[]): string {
  const rows = found.map(({ model, provider, health, paused, measured, address, reasons, modelList, lastFailure }) => [
    model,
    provider,
    paused === null ? health : `${health}, paused`,
    figure(measured?.uptime1d, '%'),
    figure(measured?.ttft1d?.p50, 's'),
    figure(measured?.response1d?.p50, 's'),
    figure(measured?.throughput1d?.p50, '/s'),
    address,
    reasons[0] ?? null,
    modelListCell(modelList),
    failureCell(lastFailure),
  ]);
  const figures = ['UPTIME 1D', 'TTFT P50', 'RESPONSE P50', 'TOKENS P50'];
  const head = ['MODEL', 'PROVIDER', 'HEALTH', ...figures, 'ADDRESS', 'REASON', 'MODEL LIST', 'LAST FAILURE'];
  return table(head, rows);
}

/** The cell of a provider's model list; nothing is known against it without a failed probe. */
export function modelListCell(list: FailingList | null): string {
  return list === null ? '-' : `fails since ${timeOf(list.since)}: ${list.text}`;
}

export function failureCell(failure: DatedFailure | null): string {
  return failure === null ? '-' : `${timeOf(failure.at)} ${failure.category}, ${failure.text}`;
}

function figure(value: number | null | undefined, unit: string): string {
  return value == null ? '-' : `${value} ${unit}`;
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
