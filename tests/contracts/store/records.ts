/** Records for store tests: every member has a default, and a test sets only the relevant ones. */
import type {
  ActorRecord,
  NodeRow,
  RowRecord,
  ShardWrite,
  Store,
  TimerRecord,
} from '../../../actors/runtime/ports/store.ts';

export const SHARDS = 16;

export function actor(address: string, version: number, more: Partial<ActorRecord> = {}): ActorRecord {
  const snapshot = JSON.stringify({ status: 'active', value: 'open', context: { version } });
  return { address, kind: 'account', hash: 7, shard: 7, version, chart: 1, snapshot, transitions: '[]', ...more };
}

export function row(id: string, more: Partial<RowRecord> = {}): RowRecord {
  return {
    address: 'account:a',
    collection: 'holds',
    id,
    sort: 0,
    index: [null, null, null, null],
    open: false,
    body: `{"id":"${id}"}`,
    expiresAt: null,
    ...more,
  };
}

export function timer(name: string, dueAt: number, address = 'account:a'): TimerRecord {
  return { address, name, dueAt, event: `{"type":"${name}"}` };
}

export function write(fence: { owner: string; epoch: number }, more: Partial<ShardWrite> = {}): ShardWrite {
  return {
    shard: 7,
    actors: [],
    stopped: [],
    rowsPut: [],
    rowsRemoved: [],
    rowsTrimmed: [],
    timersSet: [],
    timersCancelled: [],
    ...fence,
    ...more,
  };
}

type Registration = Omit<NodeRow, 'birth' | 'beat' | 'beatAt' | 'reaches' | 'state' | 'why'>;

export function node(name: string, incarnation: string): Registration {
  return { name, incarnation, address: `127.0.0.1:1${name}`, operatorUrl: `http://${name}`, pid: 42, host: 'here' };
}

/** Registers a node that has joined: it is up, at beat 1. */
export async function join(store: Store, name: string, incarnation: string): Promise<void> {
  await store.register(node(name, incarnation));
  await store.heartbeat({ incarnation, reaches: [], state: 'up' });
}

/** Joins as `incarnation` and claims the shards for it; returns its fence. */
export async function own(store: Store, incarnation: string, shards: readonly number[] = [7]) {
  await join(store, incarnation, incarnation);
  const all = await store.shards();
  const taken = await store.claim(
    incarnation,
    all.filter(({ shard }) => shards.includes(shard)),
  );
  if (taken.length !== shards.length) throw new Error(`${incarnation} took ${taken.length} of ${shards.length} shards`);
  return { owner: incarnation, epoch: taken[0]?.epoch ?? 0 };
}
