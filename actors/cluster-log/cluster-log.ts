/** The kind of the cluster's own log, one actor, and its client functions. */
import type { Cluster, Json, Kind, Resumption, RowReader, RowRecord, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import type { AlarmRecord, FoundAlarm } from './alarm.ts';
import { ALARM, CLUSTER_LOG, type ClusterLogState, clusterLogMachine, RESUMPTION } from './cluster-log.machine.ts';

const RETENTION_MS = 90 * 24 * 3_600_000;
/** Owner of the log's address: what watches it for changes names it. */
export const CLUSTER_LOG_OWNER = 'cluster';
export const CLUSTER_LOG_ADDRESS = `${CLUSTER_LOG}:${CLUSTER_LOG_OWNER}`;
/** Values of the first column of alarms. */
export const ALARM_STATES = ['open', 'ended'] as const;
/** Successors that one dead node may have. */
const SUCCESSORS_MAX = 64;

export const clusterLogKind: Kind = {
  name: CLUSTER_LOG,
  machine: clusterLogMachine,
  version: 1,
  creates: ['alarms.found', 'work.resumed'],
  finishes: [],
  volatile: [],
  collections: {
    [ALARM]: {
      sort: ({ beganAt }: AlarmRecord) => beganAt,
      index: [({ endedAt }: AlarmRecord) => (endedAt === null ? 'open' : 'ended'), ({ name }: AlarmRecord) => name],
      open: ({ endedAt }: AlarmRecord) => endedAt === null,
      retentionMs: RETENTION_MS,
    },
    [RESUMPTION]: {
      sort: ({ firstCommitAt }: Resumption) => firstCommitAt,
      index: [({ fromIncarnation }: Resumption) => fromIncarnation],
      retentionMs: RETENTION_MS,
    },
  },
  explain,
  redact: (context: Json) => context,
};

function explain({ context }: View): readonly string[] {
  const { open, begun } = context as unknown as ClusterLogState;
  const ids = Object.keys(open);
  const now = ids.length === 0 ? 'No alarm is open' : `Open alarms: ${ids.join(', ')}`;
  return [`${now}; ${begun} were recorded. \`troupe alarms\` lists those of the last 90 days.`];
}

/** Reports every alarm that is found now: those not among them end. A repeat changes nothing. Rejects with AskError. */
export async function reportAlarms(
  cluster: Pick<Cluster, 'ask'>,
  alarms: readonly FoundAlarm[],
  withinMs: number,
): Promise<void> {
  await ask(cluster, CLUSTER_LOG_ADDRESS, { type: 'alarms.found', alarms: plain(alarms) }, withinMs);
}

/** Reports how work went on after a takeover, again with more of it; a report that is lost is not repeated. */
export function reportResumption(cluster: Pick<Cluster, 'tell'>, resumption: Resumption): void {
  cluster.tell(CLUSTER_LOG_ADDRESS, { type: 'work.resumed', resumption: plain(resumption) });
}

export async function openAlarms(reader: Pick<RowReader, 'rows'>, limit: number): Promise<readonly AlarmRecord[]> {
  const query = { collection: ALARM, address: CLUSTER_LOG_ADDRESS, openOnly: true, limit } as const;
  return (await reader.rows(query)).map(alarmOf);
}

export function alarmOf({ body }: Pick<RowRecord, 'body'>): AlarmRecord {
  return JSON.parse(body) as AlarmRecord;
}

/** Of the shards of one incarnation, by each of its successors. */
export async function resumptionsOf(
  reader: Pick<RowReader, 'rows'>,
  fromIncarnation: string,
): Promise<readonly Resumption[]> {
  const where = { column: 0, equals: fromIncarnation } as const;
  const query = { collection: RESUMPTION, address: CLUSTER_LOG_ADDRESS, where, limit: SUCCESSORS_MAX } as const;
  return (await reader.rows(query)).map(({ body }) => JSON.parse(body) as Resumption);
}
