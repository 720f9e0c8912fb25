/** The runtime's only door: what kinds and the gateway may use of it. */
export { type Address, kindOf, ownerHash, ownerOf, parseAddress, SHARDS_DEFAULT, shardOf } from './actor/address.ts';
export { type Answer, AskError, type AskFailure } from './actor/answer.ts';
export { type Effect, type EmitArgs, emit } from './actor/effect.ts';
export type { ActorEvent, Json, RowView, Stamped } from './actor/event.ts';
export type { Collection, Kind, RowRef, Tenancy, View } from './actor/kind.ts';
export type { AskOptions, Board, Cluster, ClusterView, Operator, RowReader } from './cluster/cluster.ts';
export type { CommittedStep, Inspection, Reloaded } from './durable/engine.ts';
export type { Preflight } from './inspect/preflight.ts';
export type { Cancel, Clock } from './ports/clock.ts';
export type { Random } from './ports/random.ts';
export type { RowQuery, RowRecord, Store } from './ports/store.ts';
export type { Identity } from './ports/transport.ts';
export type { StoreChoice } from './stores/open-store.ts';
export type { Upkeep } from './stores/upkeep.ts';
export { upkeepOf } from './stores/upkeep-of.ts';
export { systemClock } from './system/clock.ts';
export { systemRandom } from './system/random.ts';
export { hostOf, isLoopback } from './transports/loopback-address.ts';
