/** `troupe endpoints` and `troupe providers`: what is declared, how it is doing, and pauses of it. */
import type { Command } from 'commander';
import type { EndpointRecord } from '../../../actors/endpoint/record.ts';
import type { ProviderState } from '../../../actors/provider/provider.machine.ts';
import type { Inspection } from '../../../actors/runtime/index.ts';
import type { Measured } from '../../../actors/terms/endpoint.ts';
import { changePause, explainPause, PAUSE_REASON_MAX, type Pausable, type Pause } from '../../../actors/terms/pause.ts';
import { ConfigError } from '../config/config-error.ts';
import { askAll } from './ask-each.ts';
import { COMMAND_LINE } from './command-line.ts';
import type { GlobalOptions } from './global-options.ts';
import { endpointFrom, providerFrom } from './names.ts';
import { print, table, timeOf } from './print.ts';
import { ASK_MS, type Session, withSession } from './session.ts';

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
      print(options, found, () => renderEndpoints(found));
    });
  addPauses(endpoints, ['<endpoint>', 'the id, ep_..., as `troupe endpoints list` prints it'], endpointFrom);
  const providers = program.command('providers').description('list, pause and resume the providers');
  addPauses(providers, ['<provider>', 'the slug, as `troupe providers list` prints it'], providerFrom);
  providers
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

interface ShownProvider {
  readonly address: string;
  readonly slug: string;
  readonly name: string | null;
  readonly status: string;
  readonly paused: Pause | null;
  readonly endpoints: number;
  readonly readAt: string | null;
  readonly problem: string | null;
}

async function providersOf(session: Session): Promise<readonly ShownProvider[]> {
  const found = await inspectAll(session, 'provider');
  return found.map(({ address, state, context }) => {
    const { slug, facts, document, paused = null } = context as unknown as ProviderState;
    return {
      ...{ address, slug, name: facts?.name ?? null, status: paused === null ? state : `${state}, paused`, paused },
      ...{ endpoints: document?.endpoints ?? 0, readAt: timeOf(document?.since ?? null) },
      problem: document?.problem ?? null,
    };
  });
}

function renderProviders(found: readonly ShownProvider[]): string {
  const rows = found.map((one) => [
    ...[
      one.slug,
      one.name ?? '',
      one.status,
      String(one.endpoints),
      one.readAt ?? 'never',
      one.paused?.reason ?? one.problem ?? '',
    ],
  ]);
  return table(['PROVIDER', 'NAME', 'STATUS', 'ENDPOINTS', 'UNCHANGED SINCE', 'PAUSED FOR, OR PROBLEM'], rows);
}

/** The sentence about the provider for each of its endpoints, whose actors do not know of it. */
export function explainProviderPause(slug: string, provider: Pausable): readonly string[] {
  return explainPause(provider, `providers resume ${slug}`).map((line) => line.replace('paused it', `paused ${slug}`));
}

function addPauses(
  group: Command,
  [name, meaning]: readonly [string, string],
  addressOf: (text: string) => string,
): void {
  group
    .command('pause')
    .argument(name, meaning)
    .requiredOption('--reason <text>', 'why, for the record')
    .description('send no new call there until it is resumed; calls under way end')
    .action((text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly reason: string }>();
      const reason = options.reason.trim();
      if (reason === '' || reason.length > PAUSE_REASON_MAX)
        throw new ConfigError(`--reason must have 1 to ${PAUSE_REASON_MAX} characters`);
      return change(addressOf(text), reason, options);
    });
  group
    .command('resume')
    .argument(name, meaning)
    .description('send calls there again')
    .action((text: string, _: unknown, command: Command) => change(addressOf(text), null, command.optsWithGlobals()));
}

async function change(address: string, reason: string | null, options: GlobalOptions): Promise<void> {
  const answer = await withSession(options, ({ cluster }) =>
    changePause(cluster, address, reason, { by: COMMAND_LINE, withinMs: ASK_MS }),
  );
  print(options, { address, ...answer }, () => {
    const state =
      answer.paused === null ? 'not paused' : `paused since ${timeOf(answer.paused.since)}: ${answer.paused.reason}`;
    return `${address} is ${state}${answer.changed ? '' : ' (as before)'}`;
  });
}

async function inspectAll({ operator }: Session, kind: string): Promise<readonly Inspection[]> {
  const all = await askAll({ operator }, kind, (address) => operator.inspect(address));
  return all.filter((one) => one !== null);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
