/** `troupe endpoints`: what is declared, how it is doing, and pauses of it. */
import type { Command } from 'commander';
import type { EndpointRecord } from '../../../actors/endpoint/record.ts';
import type { ProviderState } from '../../../actors/provider/provider.machine.ts';
import type { Inspection } from '../../../actors/runtime/index.ts';
import type { Measured } from '../../../actors/terms/endpoint.ts';
import type { Pausable, Pause } from '../../../actors/terms/pause.ts';
import { ConfigError } from '../config/config-error.ts';
import { explainProviderPause } from '../explained.ts';
import { askAll } from './ask-each.ts';
import type { GlobalOptions } from './global-options.ts';
import { endpointFrom } from './names.ts';
import { addPauses } from './pauses.ts';
import { print, table } from './print.ts';
import { type Session, withSession } from './session.ts';

interface EndpointFilters extends GlobalOptions {
  readonly model?: string;
  readonly provider?: string;
}

export function addEndpoints(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .description('list, pause and resume the endpoints that serve the models');
  endpoints
    .command('list')
    .option('--model <id>', 'only those of one model')
    .option('--provider <slug>', 'only those of one provider')
    .description('list endpoints with model, provider, health and the reason for it')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<EndpointFilters>();
      const found = await withSession(options, (session) => endpointsOf(session, options));
      if (found.length === 0) requireSome(options);
      print(options, found, () => renderEndpoints(found));
    });
  addPauses(endpoints, ['<endpoint>', 'the id, ep_..., as `troupe endpoints list` prints it'], endpointFrom);
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
  /** The figures as the catalogue publishes them. */
  readonly measured: Measured;
  /** The sentences of `troupe why` behind the first. */
  readonly reasons: readonly string[];
}

/** The declared endpoints, by model and provider. */
export async function endpointsOf(
  session: Session,
  { model, provider }: Pick<EndpointFilters, 'model' | 'provider'>,
): Promise<readonly ShownEndpoint[]> {
  const [found, providers] = await Promise.all([inspectAll(session, 'endpoint'), inspectAll(session, 'provider')]);
  const paused = new Map(
    providers.map(({ context }) => [(context as unknown as ProviderState).slug, context as Pausable]),
  );
  return found
    .flatMap(({ address, state, context, explanation }): readonly ShownEndpoint[] => {
      const { declaration, measured, paused: own = null } = context as unknown as EndpointRecord;
      if (declaration === null) return [];
      const { model: served, provider: by } = declaration;
      const around = paused.get(by.slug) ?? {};
      const reasons = [...explainProviderPause(by.slug, around), ...explanation.slice(1)];
      const pause = own ?? around.paused ?? null;
      return [{ address, model: served, provider: by.slug, health: state, paused: pause, measured, reasons }];
    })
    .filter((one) => (model ?? one.model) === one.model && (provider ?? one.provider) === one.provider)
    .sort((a, b) => compare(a.model, b.model) || compare(a.provider, b.provider));
}

function renderEndpoints(found: readonly ShownEndpoint[]): string {
  const rows = found.map(({ model, provider, health, paused, measured, address, reasons }) => [
    ...[
      model,
      provider,
      paused === null ? health : `${health}, paused`,
      figure(measured.uptime1d, '%'),
      figure(measured.ttft1d?.p50 ?? null, 's'),
    ],
    ...[address, reasons[0] ?? ''],
  ]);
  return table(['MODEL', 'PROVIDER', 'HEALTH', 'UPTIME 1D', 'TTFT P50', 'ADDRESS', 'REASON'], rows);
}

function figure(value: number | null, unit: string): string {
  return value === null ? '-' : `${value} ${unit}`;
}

/** Every actor of a kind. */
export async function inspectAll({ operator }: Session, kind: string): Promise<readonly Inspection[]> {
  const all = await askAll({ operator }, kind, (address) => operator.inspect(address));
  return all.filter((one) => one !== null);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
