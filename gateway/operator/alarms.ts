/**
 * What needs an operator now, of what a node knows of its cluster: each with what to do, the worst first. Every node finds
 * the same alarms under the same names, so that one alarm is one, whichever node reports it.
 */

import { type AlarmRecord, alarmId, type FoundAlarm } from '../../actors/cluster-log/alarm.ts';
import { OPEN_ALARMS_MAX } from '../../actors/cluster-log/cluster-log.machine.ts';
import { openAlarms } from '../../actors/cluster-log/cluster-log.ts';
import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import type { Cluster, ClusterView } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { gaugesOfNodes, type NodeGauges } from './metrics/node-gauges.ts';

type SeenEndpoint = Pick<Endpoint, 'id' | 'model' | 'provider' | 'health' | 'paused'>;

/** The cluster as an operator looks at it, at one instant. */
export interface ClusterLook {
  readonly view: ClusterView;
  readonly endpoints: readonly SeenEndpoint[];
  /** By the name of the node. */
  readonly gauges: ReadonlyMap<string, NodeGauges>;
}

export async function lookAt(cluster: Pick<Cluster, 'operator' | 'board'>): Promise<ClusterLook> {
  const [view, gauges] = await Promise.all([cluster.operator.ps(), gaugesOfNodes(cluster)]);
  return { view, gauges, endpoints: [...endpointsOn(cluster.board).values()] as unknown as readonly Endpoint[] };
}

/** Names that one alarm lists. */
const NAMED_MAX = 3;

/** `lowDiskBytes`: less free space than this is an alarm. */
export function alarmsOf({ view, endpoints, gauges }: ClusterLook, lowDiskBytes: number): readonly FoundAlarm[] {
  return [
    ...outage(view),
    ...fullStore([...gauges.values()]),
    ...unowned(view),
    ...deadNodes(view),
    ...quarantined(view),
    ...deadLetters(view),
    ...lowDisks(view, gauges, lowDiskBytes),
    ...sickEndpoints(endpoints),
    ...restarts(view),
  ].slice(0, OPEN_ALARMS_MAX);
}

/** Alarms that are recorded as open tell since when; while the store is away none does. */
export async function withBegins(
  { rows }: Pick<Cluster, 'rows'>,
  alarms: readonly FoundAlarm[],
  { outage }: Pick<ClusterView, 'outage'>,
): Promise<readonly FoundAlarm[]> {
  if (alarms.length === 0 || outage !== null) return alarms;
  const begins = new Map(
    (await openAlarms(rows, OPEN_ALARMS_MAX)).map((one: AlarmRecord) => [alarmId(one), one.beganAt]),
  );
  return alarms.map((alarm) => ({ ...alarm, since: alarm.since ?? begins.get(alarmId(alarm)) ?? null }));
}

function outage({ outage: found }: ClusterView): readonly FoundAlarm[] {
  if (found === null) return [];
  const { since, why } = found;
  return [
    {
      name: 'store-unreachable',
      subject: null,
      severity: 'critical',
      what: `The store is out of reach: ${why}`,
      since,
      todo: 'Nothing is answered until it is back. Look at the database or the disk; the nodes go on by themselves.',
      link: null,
    },
  ];
}

function fullStore(gauges: readonly NodeGauges[]): readonly FoundAlarm[] {
  if (!gauges.some(({ storeFull }) => storeFull)) return [];
  return [
    {
      name: 'store-full',
      subject: null,
      severity: 'critical',
      what: 'The disk of the store is full',
      since: null,
      todo: 'New work is refused and what runs ends. Free space on the disk of the data folder; no restart is needed.',
      link: '/cluster',
    },
  ];
}

function unowned({ unowned: count, shardCount }: ClusterView): readonly FoundAlarm[] {
  if (count === 0) return [];
  return [
    {
      name: 'shards-unowned',
      subject: null,
      severity: 'critical',
      what: `${count} of ${shardCount} shards have no owner`,
      since: null,
      todo: 'Their actors wait. A takeover takes seconds; if this stays, start the nodes that are missing in `troupe ps`.',
      link: '/cluster',
    },
  ];
}

function deadNodes({ nodes }: ClusterView): readonly FoundAlarm[] {
  return nodes
    .filter(({ state }) => state === 'dead')
    .map(({ name, why, lastEnd }) => ({
      name: 'node-dead',
      subject: name,
      severity: 'critical' as const,
      what: `The node ${name} is dead: ${why ?? lastEnd?.reason ?? 'no reason is known'}`,
      since: lastEnd?.at ?? null,
      todo: 'Others have its shards. Its launcher starts it again, and `troupe logs launcher` tells why it ended.',
      link: '/cluster',
    }));
}

function quarantined({ quarantined: actors }: ClusterView): readonly FoundAlarm[] {
  const [first] = actors;
  if (first === undefined) return [];
  return [
    {
      name: 'actors-quarantined',
      subject: null,
      severity: 'critical',
      what: `${count(actors.length, 'quarantined actor')}: ${named(actors.map(({ address }) => address))}`,
      since: null,
      todo: '`troupe ps --quarantined` shows why; repair what it names, then `troupe reload ADDRESS`.',
      link: `/actors/${encodeURIComponent(first.address)}`,
    },
  ];
}

function deadLetters({ deadLetters: letters }: ClusterView): readonly FoundAlarm[] {
  const [first] = letters;
  if (first === undefined) return [];
  const events = [...new Set(letters.map(({ address, event }) => `${event} at ${address}`))];
  return [
    {
      name: 'dead-letters',
      subject: null,
      severity: 'critical',
      what: `${count(letters.length, 'dead letter')}: ${named(events)}`,
      since: Math.min(...letters.map(({ at }) => at)),
      todo: `Its failure was: ${first.failure}. \`troupe retry\` or \`troupe skip\` ${first.address} ${first.id}.`,
      link: `/actors/${encodeURIComponent(first.address)}`,
    },
  ];
}

/** Nodes of one host share its disk. */
function lowDisks(
  { nodes }: ClusterView,
  gauges: ReadonlyMap<string, NodeGauges>,
  lowDiskBytes: number,
): readonly FoundAlarm[] {
  const low = nodes.filter(({ name }) => (gauges.get(name)?.diskFreeBytes ?? Number.POSITIVE_INFINITY) < lowDiskBytes);
  return [...new Set(low.map(({ host }) => host))].map((host) => ({
    name: 'disk-low',
    subject: host,
    severity: 'warning',
    what: `The disk of the data folder on ${host} has less than ${mebibytes(lowDiskBytes)} MiB free`,
    since: null,
    todo: 'Free space, or shorten `retention` in the configuration: at a full disk new work is refused.',
    link: '/cluster',
  }));
}

function mebibytes(bytes: number): string {
  return Math.round(bytes / 2 ** 20).toLocaleString('en-US');
}

function sickEndpoints(endpoints: readonly SeenEndpoint[]): readonly FoundAlarm[] {
  const down = sickOf(endpoints).filter(({ health }) => health === 'down');
  if (down.length === 0) return [];
  return [
    {
      name: 'endpoints-down',
      subject: null,
      severity: 'warning',
      what: `${count(down.length, 'endpoint')} down: ${named(down.map(({ model, provider }) => `${model} at ${provider.slug}`))}`,
      since: null,
      todo: 'Calls go to other endpoints of the model, if it has any. `troupe why ENDPOINT` names its last failure.',
      link: '/endpoints?health=down',
    },
  ];
}

/** Down or degraded, and not by an operator's pause. */
export function sickOf(endpoints: readonly SeenEndpoint[]): readonly SeenEndpoint[] {
  return endpoints.filter(({ health, paused }) => paused === undefined && (health === 'down' || health === 'degraded'));
}

function restarts({ nodes }: ClusterView): readonly FoundAlarm[] {
  return nodes.flatMap(({ name, restarts: counted, lastEnd }) => {
    const times = counted?.lastHour ?? 0;
    if (times === 0) return [];
    return [
      {
        name: 'node-restarts',
        subject: name,
        severity: 'warning' as const,
        what: `The node ${name} was started again ${times === 1 ? 'once' : `${times} times`} in the last hour`,
        since: lastEnd?.at ?? null,
        todo: `It ended last because: ${lastEnd?.reason ?? 'no reason is known'}. See \`troupe logs launcher\`.`,
        link: '/cluster',
      },
    ];
  });
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${shown} and ${names.length - NAMED_MAX} more` : shown;
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}
