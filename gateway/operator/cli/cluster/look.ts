/** `troupe ps|inspect|why|watch|drain`: shows a running cluster, and drains a node. */
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
import { command } from '../frame/asking.ts';
import { type GlobalOptions, local } from '../frame/command.ts';
import { addressIn, NAMED, nameFrom } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { outageWords, type Session, withSession } from '../frame/session.ts';
import { endpointsOf } from '../provider/endpoints.ts';
import { watchPs } from './watch-ps.ts';

/** `author/slug`, with its suffix; an address has its first colon before the slash. */
const MODEL_ID = /^[^:/]+\/[^/]+$/;

/** A model has no actor of its own: its endpoints are explained. */
async function endpointsOfModel(session: Session, model: string) {
  const found = await endpointsOf(session, { model });
  if (found.length > 0) return found;
  throw new ConfigError(`no endpoint serves ${model}; \`troupe endpoints list\` shows the models`);
}

const watch = command('watch', 'show the transitions of actors as they happen, until Ctrl-C', {
  arguments: {
    '[pattern]': {
      meaning: 'addresses to watch, `*` stands for anything; or an id such as batch_... alone',
      default: '*',
    },
  },
  ask: async ({ pattern, ...options }, session) =>
    follow(session, kindOfId(pattern) === null ? pattern : await addressIn(session, pattern), options),
});

export const commands = [
  local('ps', 'show nodes, shards, and actors by kind and state', {
    options: {
      '--quarantined': 'show only the actors whose stored state does not load',
      '-w, --watch': 'show it again every two seconds until Ctrl-C; where no terminal is, each change',
    },
    run: async ({ quarantined, watch, ...options }) => {
      // A connection for each look: the node that answered may be the next that ends.
      const read = () => withSession(options, ({ operator }) => operator.ps());
      if (!watch) return read();
      const stopped = new Promise<void>((resolve) => void process.once('SIGINT', resolve));
      const render = quarantined ? renderQuarantined : renderPs;
      await watchPs({ clock: systemClock, read, render, out: process.stdout, json: options.json === true, stopped });
      process.exit(0);
    },
    json: (view, { quarantined }) => (quarantined ? view.quarantined : view),
    print: (view, { quarantined }) => (quarantined ? renderQuarantined(view) : renderPs(view)),
  }),
  command('inspect', 'show one actor: owner, state, context, queue, timers, last transitions', {
    arguments: { '<address>': NAMED },
    ask: async ({ address: name }, session) => {
      const address = await addressIn(session, name);
      const seen = await session.operator.inspect(address);
      if (!seen) throw new ConfigError(absentWords(address));
      return seen;
    },
    print: renderInspection,
  }),
  command('why', 'explain why an actor, or a generation, is in its state', {
    arguments: {
      '<address>': {
        meaning: `${NAMED.meaning}, or the id of a model for its endpoints`,
        parse: (text: string) => (MODEL_ID.test(text) ? text : nameFrom(text)),
      },
    },
    ask: async ({ address: name }, session) => {
      if (MODEL_ID.test(name)) return endpointsOfModel(session, name);
      const seen = await explained(session.operator, name);
      if (seen === null) throw new ConfigError(absentWords(name));
      const { address, explanation } = seen;
      return { address, explanation };
    },
    print: (found) =>
      'explanation' in found
        ? found.explanation.join('\n')
        : found
            .map(({ address, provider, health, paused, reasons }) =>
              [`${address}: ${paused === null ? health : `${health}, paused,`} at ${provider}`, ...reasons].join(
                '\n  ',
              ),
            )
            .join('\n'),
  }),
  watch,
  command(
    'drain',
    'move the shards of a node to the others, and exit it when its open work is done; its launcher then restarts it',
    {
      arguments: { '<node>': 'the name of a node, as `troupe ps` shows it' },
      ask: async ({ node }, { operator }) => {
        const { nodes } = await operator.ps();
        const names = nodes.filter(({ live }) => live).map(({ name }) => name);
        names.sort();
        if (!names.includes(node)) throw new ConfigError(`there is no node ${node}; the nodes are ${names.join(', ')}`);
        await operator.drain(node);
        return { drained: node };
      },
      print: (_, { node }) => `${node} drains; \`troupe ps\` shows what it still waits for`,
    },
  ),
];

/** Runs until Ctrl-C (exit 0) or until the node that serves the stream exits. */
async function follow({ operator }: Session, pattern: string, options: GlobalOptions): Promise<void> {
  // A first call detects an unreachable node; the stream would only end.
  await operator.ps();
  await new Promise<void>((resolve, reject) => {
    const stop = operator.watch(pattern, (step) => process.stdout.write(`${renderStep(step, options)}\n`), reject);
    process.once('SIGINT', () => {
      stop();
      resolve();
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
    node.restarts?.lastHour ?? '-',
    node.pid,
    node.address,
    node.shards,
    node.gauges?.cells ?? '-',
    node.gauges?.queued ?? '-',
    node.gauges?.steps ?? '-',
    lastEndOf(node),
    waitOf(node),
  ]);
  const actorCounts = view.actorCounts.map(({ kind, state, chart, count }) => [kind, state, chart, count]);
  const deadLetters = view.deadLetters.map(({ address, id, source, event, times, failure }) => [
    address,
    id,
    source,
    event,
    times,
    failure,
  ]);
  const outage = outageWords(view);
  const unowned = view.unowned > 0 ? `, ${view.unowned} of them without an owner` : '';
  return [
    ...(outage === null ? [] : [outage, '']),
    table(PS_HEAD, nodes),
    '',
    table(['KIND', 'STATE', 'CHART', 'ACTORS'], actorCounts),
    ...section(['DEAD LETTER', 'ID', 'SOURCE', 'EVENT', 'TRIES', 'FAILURE'], deadLetters),
    '',
    `${view.shardCount} shards${unowned}`,
    ...(view.quarantined.length > 0 ? ['', renderQuarantined(view)] : []),
  ].join('\n');
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
    timeOf(at),
    node,
    epoch,
    `#${version}`,
    event,
    from,
    to,
  ]);
  const timers = seen.timers.map(({ name, dueAt, event }) => [name, timeOf(dueAt), event]);
  const waiting = seen.waiting.map(({ lane, event }) => [event, lane]);
  const activities = seen.activities.map(({ id, name, attempt, runner, begun, deadlineAt, suspect, lastFailure }) => [
    id,
    name,
    attempt,
    begun ? 'running' : 'waiting',
    runner,
    timeOf(deadlineAt),
    suspect ? 'suspect' : '',
    lastFailure === null ? '' : `last failure: ${lastFailure}`,
  ]);
  const outbox = seen.outbox.map(({ to, number, event, tries }) => [to, number, event, tries]);
  const deadLetters = seen.deadLetters.map(({ id, source, event, times, failure }) => [
    id,
    source,
    event,
    times,
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
    ...section(['WAITING', 'LANE'], waiting),
    ...section(['TIMER', 'DUE', 'EVENT'], timers),
    ...section(['ACTIVITY', 'HANDLER', 'ATTEMPT', '', 'RUNNER', 'DEADLINE', '', ''], activities),
    ...section(['OUTBOX', 'NUMBER', 'EVENT', 'TRIES'], outbox),
    ...section(['DEAD LETTER', 'SOURCE', 'EVENT', 'TRIES', 'FAILURE'], deadLetters),
    ...section(['AT', 'NODE', 'EPOCH', 'VERSION', 'EVENT', 'FROM', 'TO'], transitions),
  ].join('\n');
}

/** A table below an empty line; nothing without rows. */
function section(...[head, rows]: Parameters<typeof table>): readonly string[] {
  return rows.length === 0 ? [] : ['', table(head, rows)];
}
