/** `troupe endpoints list` and `troupe providers list`: what is declared, and how it is doing. */
import type { Command } from 'commander';
import type { EndpointRecord } from '../../../actors/endpoint/record.ts';
import type { ProviderState } from '../../../actors/provider/provider.machine.ts';
import type { Inspection } from '../../../actors/runtime/index.ts';
import type { Measured } from '../../../actors/terms/endpoint.ts';
import { askAll } from './ask-each.ts';
import type { GlobalOptions } from './global-options.ts';
import { print, table, timeOf } from './print.ts';
import { type Session, withSession } from './session.ts';

interface EndpointFilters extends GlobalOptions {
  readonly model?: string;
  readonly provider?: string;
}

export function addEndpoints(program: Command): void {
  program
    .command('endpoints')
    .description('list the endpoints that serve the models')
    .command('list')
    .option('--model <id>', 'only those of one model')
    .option('--provider <slug>', 'only those of one provider')
    .description('list endpoints with model, provider, health and the reason for it')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<EndpointFilters>();
      const found = await withSession(options, (session) => endpointsOf(session, options));
      print(options, found, () => renderEndpoints(found));
    });
  program
    .command('providers')
    .description('list the providers')
    .command('list')
    .description('list providers with their models document and its last problem')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await withSession(options, providersOf);
      print(options, found, () => renderProviders(found));
    });
}

export interface ShownEndpoint {
  readonly address: string;
  readonly model: string;
  readonly provider: string;
  readonly health: string;
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
  const found = await inspectAll(session, 'endpoint');
  return found
    .flatMap(({ address, state, context, explanation }): readonly ShownEndpoint[] => {
      const { declaration, measured } = context as unknown as EndpointRecord;
      if (declaration === null) return [];
      const [, ...reasons] = explanation;
      const { model: served, provider: by } = declaration;
      return [{ address, model: served, provider: by.slug, health: state, measured, reasons }];
    })
    .filter((one) => (model ?? one.model) === one.model && (provider ?? one.provider) === one.provider)
    .sort((a, b) => compare(a.model, b.model) || compare(a.provider, b.provider));
}

function renderEndpoints(found: readonly ShownEndpoint[]): string {
  const rows = found.map(({ model, provider, health, measured, address, reasons }) => [
    ...[model, provider, health, figure(measured.uptime1d, '%'), figure(measured.ttft1d?.p50 ?? null, 's')],
    ...[address, reasons[0] ?? ''],
  ]);
  return table(['MODEL', 'PROVIDER', 'HEALTH', 'UPTIME 1D', 'TTFT P50', 'ADDRESS', 'REASON'], rows);
}

function figure(value: number | null, unit: string): string {
  return value === null ? '-' : `${value} ${unit}`;
}

interface ShownProvider {
  readonly address: string;
  readonly slug: string;
  readonly name: string | null;
  readonly status: string;
  readonly endpoints: number;
  readonly readAt: string | null;
  readonly problem: string | null;
}

async function providersOf(session: Session): Promise<readonly ShownProvider[]> {
  const found = await inspectAll(session, 'provider');
  return found.map(({ address, state, context }) => {
    const { slug, facts, document } = context as unknown as ProviderState;
    return {
      ...{ address, slug, name: facts?.name ?? null, status: state },
      ...{ endpoints: document?.endpoints ?? 0, readAt: timeOf(document?.since ?? null) },
      problem: document?.problem ?? null,
    };
  });
}

function renderProviders(found: readonly ShownProvider[]): string {
  const rows = found.map((one) => [
    ...[one.slug, one.name ?? '', one.status, String(one.endpoints), one.readAt ?? 'never', one.problem ?? ''],
  ]);
  return table(['PROVIDER', 'NAME', 'STATUS', 'ENDPOINTS', 'UNCHANGED SINCE', 'PROBLEM'], rows);
}

async function inspectAll({ operator }: Session, kind: string): Promise<readonly Inspection[]> {
  const all = await askAll({ operator }, kind, (address) => operator.inspect(address));
  return all.filter((one) => one !== null);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
