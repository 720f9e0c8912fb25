/**
 * What the cluster remembers of itself beside the events of its store, as a chart: the alarms of the last weeks, and how
 * work went on after a takeover. One node reports all alarms that it finds; the chart begins those that are new, and ends
 * those that are no longer found. The oldest rows are replaced.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, type Resumption, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { type AlarmRecord, alarmId, type FoundAlarm } from './alarm.ts';

export const CLUSTER_LOG = 'cluster-log';
export const ALARM = 'alarm';
export const RESUMPTION = 'resumption';
export const ALARMS_MAX = 1_000;
const RESUMPTIONS_MAX = 200;
/** Alarms that one report may have, and so those that are open at once. */
export const OPEN_ALARMS_MAX = 64;
/** Resumptions whose next report replaces their row: they are reported for ten seconds. */
const RECENT_RESUMPTIONS = 32;

interface OpenAlarm {
  /** Id of its row. */
  readonly row: string;
  readonly record: AlarmRecord;
}

export interface ClusterLogState {
  readonly address: string;
  /** How many alarms and resumptions were ever recorded: they name the next row. */
  readonly begun: number;
  readonly resumed: number;
  /** By the natural id of the alarm. */
  readonly open: Readonly<Record<string, OpenAlarm>>;
  /** Store time of the newest end of an alarm that was over when it was reported, ms: a repeat is not recorded again. */
  readonly passedAt: number;
  /** The newest resumptions and their rows, oldest first. */
  readonly recent: readonly { readonly id: string; readonly row: string }[];
}

type AlarmsFound = Stamped & { readonly type: 'alarms.found'; readonly alarms: readonly FoundAlarm[] };
type WorkResumed = Stamped & { readonly type: 'work.resumed'; readonly resumption: Resumption };

/** What a report of alarms changes: decided once, for the state and for the rows. */
interface Change extends Pick<ClusterLogState, 'begun' | 'open' | 'passedAt'> {
  readonly written: readonly OpenAlarm[];
}

export const clusterLogMachine = setup({
  types: {} as { context: ClusterLogState; events: AlarmsFound | WorkResumed; input: { address: string } },
  actions: {
    writeAlarms: emitOn('alarms.found', (state: ClusterLogState, event: AlarmsFound) =>
      changeOf(state, event).written.map(({ row, record }) => put(ALARM, row, record)),
    ),
    keepAlarms: assignOn('alarms.found', (state: ClusterLogState, event: AlarmsFound) => {
      const { begun, open, passedAt } = changeOf(state, event);
      return { begun, open, passedAt };
    }),
    writeResumption: emitOn('work.resumed', (state: ClusterLogState, { resumption }: WorkResumed) =>
      put(RESUMPTION, rowOf(state, resumption), resumption),
    ),
    keepResumption: assignOn('work.resumed', (state: ClusterLogState, { resumption }: WorkResumed) => {
      const id = resumptionId(resumption);
      if (state.recent.some((one) => one.id === id)) return {};
      const recent = [...state.recent, { id, row: rowOf(state, resumption) }].slice(-RECENT_RESUMPTIONS);
      return { resumed: state.resumed + 1, recent };
    }),
  },
}).createMachine({
  id: CLUSTER_LOG,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, begun: 0, resumed: 0, open: {}, passedAt: 0, recent: [] }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'alarms.found': { actions: ['writeAlarms', 'keepAlarms'] },
        'work.resumed': { actions: ['writeResumption', 'keepResumption'] },
      },
    },
  },
});

function changeOf({ begun, open, passedAt }: ClusterLogState, { alarms, at }: AlarmsFound): Change {
  const written: OpenAlarm[] = [];
  const next: Record<string, OpenAlarm> = {};
  let [count, passed] = [begun, passedAt];
  for (const found of alarms.slice(0, OPEN_ALARMS_MAX)) {
    if (found.until !== undefined && found.until <= passedAt) continue;
    passed = Math.max(passed, found.until ?? 0);
    const known = open[alarmId(found)];
    const record = recordOf(found, known?.record.beganAt ?? found.since ?? at);
    const alarm = { row: known?.row ?? String(count % ALARMS_MAX), record };
    if (known === undefined) count++;
    if (known === undefined || !isSame(known.record, record)) written.push(alarm);
    if (record.endedAt === null) next[alarmId(found)] = alarm;
  }
  const found = new Set(alarms.map(alarmId));
  for (const [id, { row, record }] of Object.entries(open)) {
    if (!found.has(id)) written.push({ row, record: { ...record, endedAt: at } });
  }
  return { begun: count, open: next, passedAt: passed, written };
}

function recordOf({ since: _, until, ...alarm }: FoundAlarm, beganAt: number): AlarmRecord {
  return { ...alarm, beganAt, endedAt: until ?? null };
}

/** Both have their members in one order. */
function isSame(one: AlarmRecord, other: AlarmRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function resumptionId({ fromIncarnation, incarnation }: Resumption): string {
  return `${fromIncarnation} ${incarnation}`;
}

function rowOf({ recent, resumed }: ClusterLogState, resumption: Resumption): string {
  const id = resumptionId(resumption);
  return recent.find((one) => one.id === id)?.row ?? String(resumed % RESUMPTIONS_MAX);
}

function put(collection: string, id: string, body: object): Effect {
  return { type: 'put', collection, id, body: plain(body) };
}
