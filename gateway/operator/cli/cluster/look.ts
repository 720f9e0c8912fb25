/** `troupe ps|inspect|why|watch|drain`: shows a running cluster, and drains a node. */
import { type ClusterView, type CommittedStep, systemClock } from '../../../../actors/runtime/index.ts';
import type { ActorView } from '../../api/actor-view.ts';
import type { ListedEndpoint } from '../../api/endpoints.ts';
import { ConfigError } from '../../config/config-error.ts';
import { kindOfId } from '../../find-address.ts';
import { outageWords } from '../../outage.ts';
import { command, route, withOperator } from '../frame/asking.ts';
import { local } from '../frame/command.ts';
import { NAMED, nameFrom, reason } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { pairs, table, timeOf, visible } from '../frame/print.ts';
import { follow } from './follow.ts';
import { watchPs } from './watch-ps.ts';

/** `author/slug`, with its suffix; an address has its first colon before the slash. */
const MODEL_ID = /^[^:/]+\/[^/]+$/;
/** Of one model; each is explained. */
const ENDPOINTS_MAX = 200;

interface Explained {
  readonly address: string;
  readonly state: string;
  readonly why: readonly string[];
}

const explained = (api: OperatorApi, name: string): Promise<Explained> => api.get<Explained>(route`/api/why/${name}`);

type ExplainedEndpoint = ListedEndpoint & Pick<Explained, 'why'>;

/** A model has no actor of its own: its endpoints are explained. */
async function explainedModel(api: OperatorApi, model: string): Promise<readonly ExplainedEndpoint[]> {
  const found = await api.list<ListedEndpoint>('/api/endpoints', { model }, ENDPOINTS_MAX);
  if (found.length === 0)
    throw new ConfigError(`no endpoint serves ${model}; \`troupe endpoints list\` shows the models`);
  return Promise.all(found.map(async (one) => ({ ...one, why: (await explained(api, one.address)).why.slice(1) })));
}

const ps = async (api: OperatorApi): Promise<ClusterView> => api.get<ClusterView>('/api/cluster');

export const commands = [
  local('ps', 'show nodes, shards, and actors by kind and state', {
    options: {
      '--quarantined': 'show only the actors whose stored state does not load',
      '-w, --watch': 'show it again every two seconds until Ctrl-C; where no terminal is, each change',
    },
    run: async ({ quarantined, watch, ...options }) => {
      // A connection for each look: the node that answered may be the next that ends.
      const read = () => withOperator(options, ps);
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
    ask: ({ address }, api) => api.get<ActorView>(route`/api/actors/${address}`),
    print: renderInspection,
  }),
  command('why', 'explain why an actor, or a generation, is in its state', {
    arguments: {
      '<address>': {
        meaning: `${NAMED.meaning}, or the id of a model for its endpoints`,
        parse: (text: string) => (MODEL_ID.test(text) ? text : nameFrom(text)),
      },
    },
    ask: ({ address }, api): Promise<Explained | readonly ExplainedEndpoint[]> =>
      MODEL_ID.test(address) ? explainedModel(api, address) : explained(api, address),
    print: (found) =>
      'why' in found
        ? found.why.join('\n')
        : found
            .map(({ address, provider, health, why }) => [`${address}: ${health} at ${provider}`, ...why].join('\n  '))
            .join('\n'),
  }),
  command('watch', 'show the transitions of actors as they happen, until Ctrl-C', {
    arguments: {
      '[pattern]': {
        meaning: 'addresses to watch, `*` stands for anything; or an id such as batch_... alone',
        default: '*',
      },
    },
    ask: async ({ pattern, json }, api) => {
      const address = kindOfId(pattern) === null ? pattern : (await explained(api, pattern)).address;
      const print = json ? (step: CommittedStep) => JSON.stringify(step) : renderStep;
      await follow(api, address, (step) => void process.stdout.write(`${visible(print(step))}\n`));
    },
  }),
  command(
    'drain',
    'move the shards of a node to the others, and exit it when its open work is done; its launcher then restarts it',
    {
      arguments: { '<node>': 'the name of a node, as `troupe ps` shows it' },
      options: { '--reason <text>': reason('why, for the record') },
      ask: async ({ node, reason: why }, api) => {
        await api.post(route`/api/nodes/${node}/drain`, { reason: why });
        return { drained: node };
      },
      print: (_, { node }) => `${node} drains; \`troupe ps\` shows what it still waits for`,
    },
  ),
];

function renderStep({ at, node, epoch, address, version, event, from, to }: CommittedStep): string {
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

function renderInspection(seen: ActorView): string {
  const { queue, mailbox } = seen;
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
  const waiting = [...mailbox.system, ...mailbox.finish, ...mailbox.start].map(({ lane, event }) => [event, lane]);
  const activities = seen.activities.map(({ id, name, attempt, runner, running, deadlineAt, suspect, failure }) => [
    id,
    name,
    attempt,
    running ? 'running' : 'waiting',
    runner,
    timeOf(deadlineAt),
    suspect ? 'suspect' : '',
    failure === null ? '' : `last failure: ${failure.code}: ${failure.message}`,
  ]);
  const outbox = seen.outbox.map(({ to, number, event, tries }) => [to, number, event, tries]);
  const deadLetters = seen.deadLetters.map(({ id, source, event, times, reason: why }) => {
    return [id, source, event, times, why];
  });
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
    ...seen.why,
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
