/** The runtime's only door: what kinds and the gateway may use of it. */
export { type Address, kindOf, ownerHash, ownerOf, parseAddress, SHARDS_DEFAULT, shardOf } from './actor/address.ts';
export { type Answer, AskError, type AskFailure } from './actor/answer.ts';
export { type Effect, type EmitArgs, emit } from './actor/effect.ts';
export type { ActorEvent, Json, RowView, Stamped } from './actor/event.ts';
export type { Collection, Kind, RowRef, SavedState, Tenancy, View } from './actor/kind.ts';
export { Slots } from './actor/slots.ts';
export { Blocks } from './bytes/blocks.ts';
export type { ByteAccess } from './bytes/byte-access.ts';
export { openBlob } from './bytes/open-blob.ts';
export { openValue } from './bytes/open-value.ts';
export type { Place } from './bytes/place.ts';
export { type SealedBlob, sealBlob } from './bytes/seal-blob.ts';
export { SealBroken } from './bytes/seal-broken.ts';
export { sealValue } from './bytes/seal-value.ts';
export type { AskOptions, Board, Cluster, ClusterView, Operator, RowReader } from './cluster/cluster.ts';
export type { AsideView, CommittedStep, Inspection, Reloaded } from './durable/engine.ts';
export type { Preflight } from './inspect/preflight.ts';
export {
  BlobCorrupt,
  BlobMissing,
  BlobRangeError,
  BlobsRefused,
  BlobTooLarge,
  type ByteRange,
  type OpenBlob,
} from './ports/blobs.ts';
export type { Cancel, Clock } from './ports/clock.ts';
export { KeyDestroyed, KeyStoreUnreachable, type SealingKey } from './ports/key-store.ts';
export { type Job, type Performer, PerformFailed } from './ports/performer.ts';
export type { Random } from './ports/random.ts';
export type { RowQuery, RowRecord, Store } from './ports/store.ts';
export type { Identity } from './ports/transport.ts';
export type { StoreChoice } from './stores/open-store.ts';
export type { Upkeep } from './stores/upkeep.ts';
export { upkeepOf } from './stores/upkeep-of.ts';
export { systemClock } from './system/clock.ts';
export { arrivalShare, LOOP_TURN_BYTES, loopShare } from './system/loop-share.ts';
export { systemRandom } from './system/random.ts';
export { hostOf, isLoopback } from './transports/loopback-address.ts';
