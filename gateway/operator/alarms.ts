/** What needs an operator now, of what a node knows of its cluster: each with what to do, the worst first. */
import type { ClusterView } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';

interface Alarm {
  readonly severity: 'critical' | 'warning';
  readonly what: string;
  /** Wall-clock ms; null if it is not known. */
  readonly since: number | null;
  readonly todo: string;
  /** Path of the page of the console that shows it; null where the cluster cannot show it now. */
  readonly link: string | null;
}

interface AlarmParts {
  readonly view: ClusterView;
  readonly endpoints: readonly Pick<Endpoint, 'id' | 'model' | 'provider' | 'health' | 'paused'>[];
  /** The disk of this node's store has room only for work under way. */
  readonly storeFull: boolean;
}

/** Names that one alarm lists. */
const NAMED_MAX = 3;

export function alarmsOf(parts: AlarmParts): readonly Alarm[] {
  return [
    ...outage(parts.view),
    ...fullStore(parts.storeFull),
    ...unowned(parts.view),
    ...deadNodes(parts.view),
    ...quarantined(parts.view),
    ...deadLetters(parts.view),
    ...sickEndpoints(parts.endpoints),
    ...restarts(parts.view),
  ];
}

function outage({ outage: found }: ClusterView): readonly Alarm[] {
  if (found === null) return [];
  const { since, why } = found;
  return [
    {
      severity: 'critical',
      what: `The store is out of reach: ${why}`,
      since,
      todo: 'Nothing is answered until it is back. Look at the database or the disk; the nodes go on by themselves.',
      link: null,
    },
  ];
}

function fullStore(isFull: boolean): readonly Alarm[] {
  if (!isFull) return [];
  return [
    {
      severity: 'critical',
      what: 'The disk of the store is full',
      since: null,
      todo: 'New work is refused and what runs ends. Free space on the disk of the data folder; no restart is needed.',
      link: '/cluster',
    },
  ];
}

function unowned({ unowned: count, shardCount }: ClusterView): readonly Alarm[] {
  if (count === 0) return [];
  return [
    {
      severity: 'critical',
      what: `${count} of ${shardCount} shards have no owner`,
      since: null,
      todo: 'Their actors wait. A takeover takes seconds; if this stays, start the nodes that are missing in `troupe ps`.',
      link: '/cluster',
    },
  ];
}

function deadNodes({ nodes }: ClusterView): readonly Alarm[] {
  return nodes
    .filter(({ state }) => state === 'dead')
    .map(({ name, why, lastEnd }) => ({
      severity: 'critical' as const,
      what: `The node ${name} is dead: ${why ?? lastEnd?.reason ?? 'no reason is known'}`,
      since: lastEnd?.at ?? null,
      todo: 'Others have its shards. Its launcher starts it again, and `troupe logs launcher` tells why it ended.',
      link: '/cluster',
    }));
}

function quarantined({ quarantined: actors }: ClusterView): readonly Alarm[] {
  const [first] = actors;
  if (first === undefined) return [];
  return [
    {
      severity: 'critical',
      what: `${count(actors.length, 'quarantined actor')}: ${named(actors.map(({ address }) => address))}`,
      since: null,
      todo: '`troupe ps --quarantined` shows why; repair what it names, then `troupe reload ADDRESS`.',
      link: `/actors/${encodeURIComponent(first.address)}`,
    },
  ];
}

function deadLetters({ deadLetters: letters }: ClusterView): readonly Alarm[] {
  const [first] = letters;
  if (first === undefined) return [];
  const events = [...new Set(letters.map(({ address, event }) => `${event} at ${address}`))];
  return [
    {
      severity: 'critical',
      what: `${count(letters.length, 'dead letter')}: ${named(events)}`,
      since: Math.min(...letters.map(({ at }) => at)),
      todo: `Its failure was: ${first.failure}. \`troupe retry\` or \`troupe skip\` ${first.address} ${first.id}.`,
      link: `/actors/${encodeURIComponent(first.address)}`,
    },
  ];
}

function sickEndpoints(endpoints: AlarmParts['endpoints']): readonly Alarm[] {
  const down = sickOf(endpoints).filter(({ health }) => health === 'down');
  if (down.length === 0) return [];
  return [
    {
      severity: 'warning',
      what: `${count(down.length, 'endpoint')} down: ${named(down.map(({ model, provider }) => `${model} at ${provider.slug}`))}`,
      since: null,
      todo: 'Calls go to other endpoints of the model, if it has any. `troupe why ENDPOINT` names its last failure.',
      link: '/endpoints?health=down',
    },
  ];
}

/** Down or degraded, and not by an operator's pause. */
export function sickOf(endpoints: AlarmParts['endpoints']): AlarmParts['endpoints'] {
  return endpoints.filter(({ health, paused }) => paused === undefined && (health === 'down' || health === 'degraded'));
}

function restarts({ nodes }: ClusterView): readonly Alarm[] {
  return nodes.flatMap(({ name, restarts: counted, lastEnd }) => {
    const times = counted?.lastHour ?? 0;
    if (times === 0) return [];
    return [
      {
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
