/** The runtime's public interface: everything that kinds and the gateway may import. */

export { type Address, kindOf, ownerHash, ownerOf, parseAddress, SHARDS_DEFAULT, shardOf } from './actor/address.ts';
export { type Answer, AskError, type AskFailure } from './actor/answer.ts';
export { assignOn, emitOn, guardOn, rowsOn, verdictOn } from './actor/chart.ts';
export type { ChartView, StateView, TransitionView } from './actor/charts/chart-view.ts';
export { type Effect, type EmitArgs, emit, type Repeats } from './actor/effect.ts';
export type { ActorEvent, Json, RowView, Stamped } from './actor/event.ts';
export type { Collection, History, Kind, LeaseRows, RowRef, SavedState, View } from './actor/kind.ts';
export { statesIn } from './actor/state-text.ts';
export { SealBroken } from './bytes/aead.ts';
export type { ByteAccess } from './bytes/byte-access.ts';
export { freeBytes } from './bytes/free-bytes.ts';
export type { SealPlace } from './bytes/seal.ts';
export { openBlob, openValue, type SealedBlob, sealBlob, sealValue } from './bytes/seal.ts';
export type {
  ActorsPage,
  ActorsQuery,
  AskOptions,
  Board,
  Cluster,
  ClusterView,
  HostAnswer,
  HostCall,
  MemberView,
  NodeRestarts,
  Operator,
  RowReader,
} from './cluster/cluster.ts';
export { CUT_OFF } from './cluster/membership/verdict.ts';
export type { Resumption } from './cluster/shards/resumptions.ts';
export { Counts } from './collections/counts.ts';
export { FairQueue } from './collections/fair-queue.ts';
export { Semaphore } from './collections/semaphore.ts';
export { Slab } from './collections/slab.ts';
export type { CommittedStep, DeadLetterView, Inspection, Reloaded, ReportedRow } from './durable/engine.ts';
export type { Preflight } from './inspect/preflight.ts';
export {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Waits,
} from './ports/activity.ts';
export {
  BlobCorrupt,
  BlobMissing,
  BlobRangeError,
  BlobsRefused,
  BlobTooLarge,
  type ByteRange,
  type OpenBlob,
} from './ports/blobs.ts';
export type { Cancel, Clock, Random } from './ports/clock.ts';
export { KeyDestroyed, KeyStoreUnreachable, type SealingKey } from './ports/key-store.ts';
export type { RuntimeLimits } from './ports/limits.ts';
export type { KeptRows, RowExport } from './ports/row-export.ts';
export type { ActorCountRow, ActorPlace, ClusterEvent, RowKey, RowQuery, RowRecord, Store } from './ports/store.ts';
export type { Identity } from './ports/transport.ts';
export { makeFolder, syncFolder } from './stores/directory/folders.ts';
export type { Maintenance } from './stores/maintenance.ts';
export { maintenanceOf } from './stores/open/maintenance.ts';
export { openQueries } from './stores/open/queries.ts';
export {
  type Queries,
  QueryRefused,
  type QueryResult,
  type RowsView,
  type ViewColumn,
} from './stores/query/query.ts';
export type { StoreChoice } from './stores/store-choice.ts';
export { systemClock, systemRandom } from './system/clock.ts';
export { hostOf, isLoopback } from './transports/loopback-address.ts';
