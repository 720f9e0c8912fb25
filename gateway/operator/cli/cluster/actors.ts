/** `troupe actors|events|alarms`: stored actors by filter, and what happened to the nodes and their shards. */

import type { AlarmRecord } from '../../../../actors/cluster-log/alarm.ts';
import { type ClusterEvent, systemClock } from '../../../../actors/runtime/index.ts';
import { command } from '../frame/asking.ts';
import { count } from '../frame/names.ts';
import type { EntryPage } from '../frame/operator-api.ts';
import { table, timeOf } from '../frame/print.ts';

interface ListedEvent extends Omit<ClusterEvent, 'moves'> {
  /** How many moved. */
  readonly shards: number | null;
}

interface ListedActor {
  readonly address: string;
  readonly state: string;
  readonly since: number;
  readonly version: number;
  readonly node: string | null;
  readonly label: string | null;
}

const PAGE = {
  '--limit <count>': count('entries of a page, at most 200 (default: 50)', 'number of entries'),
  '--cursor <text>': 'continue behind a page, with what its last line printed',
} as const;

export const commands = [
  command('actors', 'list stored actors by kind, state, account and node, with the time in their state', {
    options: {
      '--kind <kind>': 'only actors of this kind',
      '--state <state>': 'only those in this state, as `troupe ps` shows it',
      '--account <account>': 'only those of this account: its id or its name',
      '--node <node>': 'only those that this node serves',
      '--order <order>': {
        meaning: 'age: longest in their state first; newest: the reverse (default: address, of a state age)',
        choices: ['address', 'age', 'newest'],
      },
      ...PAGE,
    },
    ask: ({ kind, state, account, node, order, limit, cursor }, api) =>
      api.get<EntryPage<ListedActor>>('/api/actors', { kind, state, account, node, order, limit, cursor }),
    print: ({ data, next }) => `${actorTable(data)}${more(next)}`,
  }),
  command('events', 'list joins, deaths, takeovers and hand-overs of shards, newest first', {
    options: PAGE,
    ask: ({ limit, cursor }, api) => api.get<EntryPage<ListedEvent>>('/api/events', { limit, cursor }),
    print: ({ data, next }) => `${eventTable(data)}${more(next)}`,
  }),
  command('alarms', 'list what needs an operator, and what did in the last 90 days, newest first', {
    options: {
      '--state <state>': { meaning: 'only those that go on, or that are over', choices: ['open', 'ended'] },
      '--severity <severity>': { meaning: 'only those of this severity', choices: ['critical', 'warning'] },
      '--name <name>': 'only those of this name, such as node-dead',
      '--subject <subject>': 'only those about this, such as a node',
      ...PAGE,
    },
    ask: ({ state, severity, name, subject, limit, cursor }, api) =>
      api.get<EntryPage<AlarmRecord>>('/api/alarms', { state, severity, name, subject, limit, cursor }),
    print: ({ data, next }) => `${alarmTable(data)}${more(next)}`,
  }),
];

function actorTable(actors: readonly ListedActor[]): string {
  const now = systemClock.now();
  const rows = actors.map(({ address, label, state, since, node }) => {
    return [address, label ?? '', state, timeOf(since), `${((now - since) / 1_000).toFixed(0)} s`, node ?? '-'];
  });
  return table(['ACTOR', 'NAME', 'STATE', 'SINCE', 'FOR', 'NODE'], rows);
}

function eventTable(events: readonly ListedEvent[]): string {
  const rows = events.map(({ at, type, node, incarnation, shards, from, tookMs, why }) => [
    timeOf(at),
    type.replaceAll('_', ' '),
    `${node} (${incarnation})`,
    shards ?? '',
    from ?? '',
    tookMs === null ? '' : `${tookMs} ms`,
    why ?? '',
  ]);
  return table(['AT', 'EVENT', 'NODE', 'SHARDS', 'FROM', 'AFTER ITS END', 'WHY'], rows);
}

function alarmTable(alarms: readonly AlarmRecord[]): string {
  const rows = alarms.map(({ beganAt, endedAt, severity, name, what, todo }) => [
    timeOf(beganAt),
    endedAt === null ? 'open' : timeOf(endedAt),
    severity,
    name,
    what,
    endedAt === null ? todo : '',
  ]);
  return table(['BEGAN', 'ENDED', 'SEVERITY', 'ALARM', 'WHAT', 'WHAT TO DO'], rows);
}

function more(next: string | null): string {
  return next === null ? '' : `\nmore: --cursor ${next}`;
}
