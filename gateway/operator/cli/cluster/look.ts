/** `troupe ps|inspect|why|watch|drain`: shows a running cluster, and drains a node. */
import type { Command } from 'commander';
import {
  type ClusterView,
  type CommittedStep,
  type Inspection,
  systemClock,
} from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { explained } from '../../explained.ts';
import { kindOfId } from '../../find-address.ts';
import { absentWords } from '../frame/absent.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { addressFrom, NAMED, requireName } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { withSession } from '../frame/session.ts';
import { endpointsOf } from '../provider/endpoints.ts';
import { watchPs } from './watch-ps.ts';

/** `author/slug`, with its suffix; an address has its first colon before the slash. */
const MODEL_ID = /^[^:/]+\/[^/]+$/;

export function addLook(program: Command): void {
  program
    .command('ps')
    .option('--quarantined', 'show only the actors whose stored state does not load')
    .option('-w, --watch', 'show it again every two seconds until Ctrl-C; where no terminal is, each change')
    .description('show nodes, shards, and actors by kind and state')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<PsOptions>();
      const read = () => withSession(options, ({ operator }) => operator.ps());
      if (options.watch) return watched(read, options);
      const view = await read();
      if (options.quarantined) print(options, view.quarantined, () => renderQuarantined(view));
      else print(options, view, () => renderPs(view));
    });
  program
    .command('inspect')
    .argument('<address>', NAMED)
    .description('show one actor: owner, state, context, queue, timers, last transitions')
    .action(async (text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await addressFrom(text, options);
      const seen = await withSession(options, ({ operator }) => operator.inspect(address));
      if (!seen) throw new ConfigError(absentWords(address));
      print(options, seen, () => renderInspection(seen));
    });
  program
    .command('why')
    .argument('<address>', `${NAMED}, or the id of a model for its endpoints`)
    .description('explain why an actor, or a generation, is in its state')
    .action(async (text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      if (MODEL_ID.test(text)) return whyModel(text, options);
      requireName(text);
      const seen = await withSession(options, ({ operator }) => explained(operator, text));
      if (seen === null) throw new ConfigError(absentWords(text));
      const { address, explanation } = seen;
      print(options, { address, explanation }, () => explanation.join('\n'));
    });
  program
    .command('watch')
    .argument('[pattern]', 'addresses to watch, `*` stands for anything; or an id such as batch_... alone', '*')
    .description('show the transitions of actors as they happen, until Ctrl-C')
    .action(async (text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      await watch(kindOfId(text) === null ? text : await addressFrom(text, options), options);
    });
  program
    .command('drain')
    .argument('<node>', 'the name of a node, as `troupe ps` shows it')
    .description(
      'move the shards of a node to the others, and exit it when its open work is done; its launcher then restarts it',
    )
    .action(async (node: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      await withSession(options, async ({ operator }) => {
        const { nodes } = await operator.ps();
        const names = nodes.filter(({ live }) => live).map(({ name }) => name);
        names.sort();
        if (!names.includes(node)) throw new ConfigError(`there is no node ${node}; the nodes are ${names.join(', ')}`);
        await operator.drain(node);
      });
      print(options, { drained: node }, () => `${node} drains; \`troupe ps\` shows what it still waits for`);
    });
}

interface PsOptions extends GlobalOptions {
  readonly quarantined?: boolean;
  readonly watch?: boolean;
}

/** A connection for each look: the node that answered may be the next that ends. */
async function watched(read: () => Promise<ClusterView>, { quarantined, json }: PsOptions): Promise<void> {
  const stopped = new Promise<void>((resolve) => void process.once('SIGINT', resolve));
  const render = quarantined ? renderQuarantined : renderPs;
  await watchPs({ clock: systemClock, read, render, out: process.stdout, json: json === true, stopped });
  process.exit(0);
}

/** A model has no actor of its own: its endpoints are explained. */
async function whyModel(model: string, options: GlobalOptions): Promise<void> {
  const found = await withSession(options, (session) => endpointsOf(session, { model }));
  if (found.length === 0)
    throw new ConfigError(`no endpoint serves ${model}; \`troupe endpoints list\` shows the models`);
  print(options, found, () =>
    found
      .map(({ address, provider, health, paused, reasons }) =>
        [`${address}: ${paused === null ? health : `${health}, paused,`} at ${provider}`, ...reasons].join('\n  '),
      )
      .join('\n'),
  );
}

/** Runs until Ctrl-C (exit 0) or until the node that serves the stream exits. */
async function watch(pattern: string, options: GlobalOptions): Promise<void> {
  await withSession(options, async ({ operator }) => {
    // A first call detects an unreachable node; the stream would only end.
    await operator.ps();
    await new Promise<void>((resolve, reject) => {
      const stop = operator.watch(pattern, (step) => process.stdout.write(`${renderStep(step, options)}\n`), reject);
      process.once('SIGINT', () => {
        stop();
        resolve();
      });
    });
  });
}

function renderStep(step: CommittedStep, options: GlobalOptions): string {
  if (options.json) return JSON.stringify(step);
  const { at, node, epoch, address, version, event, from, to } = step;
  const change = from === to ? to : `${from} -> ${to}`;
  return `${timeOf(at)}  ${node} epoch ${epoch}  ${address} #${version}  ${event}  ${change}`;
}

/** The activities that a draining node still runs. */
function waitOf({ state, gauges }: ClusterView['nodes'][number]): string {
  const activities = gauges?.activities ?? 0;
  return state !== 'draining' || activities === 0 ? '' : `waits for ${activities} activities`;
}

const PS_HEAD = [
  'NODE',
  'STATE',
  'UP',
  'RESTARTS 1H',
  'PID',
  'GRPC',
  'SHARDS',
  'RESIDENT',
  'QUEUED',
  'STEPS',
  'LAST END',
  '',
] as const;

/** How the node ended, or the life before this one. */
function lastEndOf({ why, lastEnd }: ClusterView['nodes'][number]): string {
  if (lastEnd === null) return why ?? '';
  return lastEnd.at === null ? lastEnd.reason : `${lastEnd.reason}, ${timeOf(lastEnd.at)}`;
}

/** `3d 4h`, `5h 12m`, `12m 3s` or `3s`. */
function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

export function renderPs(view: ClusterView): string {
  const nodes = view.nodes.map((node) => [
    node.name,
    node.live || node.state === 'joining' ? node.state : 'dead',
    node.startedAt === null ? '-' : durationOf(systemClock.now() - node.startedAt),
    node.restarts ? String(node.restarts.lastHour) : '-',
    String(node.pid),
    node.address,
    String(node.shards),
    node.gauges ? String(node.gauges.cells) : '-',
    node.gauges ? String(node.gauges.queued) : '-',
    node.gauges ? String(node.gauges.steps) : '-',
    lastEndOf(node),
    waitOf(node),
  ]);
  const actorCounts = view.actorCounts.map(({ kind, state, chart, count }) => [
    kind,
    state,
    String(chart),
    String(count),
  ]);
  const deadLetters = view.deadLetters.map(({ address, id, source, event, times, failure }) => [
    ...[address, id, source, event, String(times), failure],
  ]);
  const unowned = view.unowned > 0 ? `, ${view.unowned} of them without an owner` : '';
  return [
    ...outageLines(view),
    table(PS_HEAD, nodes),
    '',
    table(['KIND', 'STATE', 'CHART', 'ACTORS'], actorCounts),
    ...(deadLetters.length > 0
      ? ['', table(['DEAD LETTER', 'ID', 'SOURCE', 'EVENT', 'TRIES', 'FAILURE'], deadLetters)]
      : []),
    '',
    `${view.shardCount} shards${unowned}`,
    ...(view.quarantined.length > 0 ? ['', renderQuarantined(view)] : []),
  ].join('\n');
}

/** Names an outage of the store. */
function outageLines({ outage }: ClusterView): readonly string[] {
  if (outage === null) return [];
  const since = new Date(outage.since).toISOString();
  return [`The nodes run, and the store is out of reach since ${since}: ${outage.why}`, ''];
}

function renderQuarantined({ quarantined }: ClusterView): string {
  if (quarantined.length === 0) return 'no actor that the nodes have loaded is quarantined';
  return table(
    ['QUARANTINED', 'NODE', 'WHY'],
    quarantined.map(({ address, node, fault }) => [address, node, fault]),
  );
}

function renderInspection(seen: Inspection): string {
  const { queue } = seen;
  const openRows = Object.entries(seen.openRows).map(([name, count]) => `${count} ${name}`);
  const transitions = seen.transitions.map(({ at, node, epoch, version, event, from, to }) => [
    ...[timeOf(at) ?? '', node, String(epoch), `#${version}`, event, from, to],
  ]);
  const timers = seen.timers.map((timer) => [timer.name, timeOf(timer.dueAt) ?? '', timer.event]);
  const waiting = seen.waiting.map(({ lane, event }) => [event, lane]);
  const activities = seen.activities.map(({ id, name, attempt, runner, begun, deadlineAt, suspect, lastFailure }) => [
    id,
    name,
    String(attempt),
    begun ? 'running' : 'waiting',
    runner,
    timeOf(deadlineAt) ?? '',
    ...[suspect ? 'suspect' : '', lastFailure === null ? '' : `last failure: ${lastFailure}`],
  ]);
  const outbox = seen.outbox.map(({ to, number, event, tries }) => [to, number, event, String(tries)]);
  const deadLetters = seen.deadLetters.map(({ id, source, event, times, failure }) => [
    id,
    source,
    event,
    String(times),
    failure,
  ]);
  return [
    pairs({
      address: seen.address,
      state: seen.state,
      version: seen.version === seen.durableVersion ? seen.version : `${seen.version} (durable ${seen.durableVersion})`,
      owner: seen.node,
      shard: `${seen.shard}, epoch ${seen.epoch}`,
      chart: seen.chart,
      queue: `${queue.system} system, ${queue.finish} finish, ${queue.start} start`,
      open: openRows.length > 0 ? openRows.join(', ') : null,
    }),
    '',
    ...seen.explanation,
    '',
    `context ${JSON.stringify(seen.context, null, 2)}`,
    ...(waiting.length > 0 ? ['', table(['WAITING', 'LANE'], waiting)] : []),
    ...(timers.length > 0 ? ['', table(['TIMER', 'DUE', 'EVENT'], timers)] : []),
    ...(activities.length > 0
      ? ['', table(['ACTIVITY', 'HANDLER', 'ATTEMPT', '', 'RUNNER', 'DEADLINE', '', ''], activities)]
      : []),
    ...(outbox.length > 0 ? ['', table(['OUTBOX', 'NUMBER', 'EVENT', 'TRIES'], outbox)] : []),
    ...(deadLetters.length > 0 ? ['', table(['DEAD LETTER', 'SOURCE', 'EVENT', 'TRIES', 'FAILURE'], deadLetters)] : []),
    ...(transitions.length > 0
      ? ['', table(['AT', 'NODE', 'EPOCH', 'VERSION', 'EVENT', 'FROM', 'TO'], transitions)]
      : []),
  ].join('\n');
}
