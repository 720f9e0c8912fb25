import { type Clock, type Cluster, type Random, systemClock, systemRandom } from '../../actors/runtime/index.ts';
import config from '../../cluster.config.ts';
import type { FileServices } from '../../gateway/files/file-services.ts';
import { Background } from '../../gateway/overload/background.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { MemoryKeyStore } from './memory-key-store.ts';

const BLOB_BYTES_MAX = 64 * 1024 * 1024;

export interface MemoryFiles {
  readonly keys: MemoryKeyStore;
  readonly blobs: MemoryBlobs;
  /** What stored files need from a node that these members of a cluster stand for. */
  filesOf(cluster: object, clock?: Clock): FileServices;
}

/** Sealing keys and blobs in memory, which nodes without live traffic share. */
export function memoryFiles(clock: Clock = systemClock, random: Random = systemRandom): MemoryFiles {
  const keys = new MemoryKeyStore({ clock, random });
  const blobs = new MemoryBlobs({ clock, random, bytesMax: BLOB_BYTES_MAX });
  return {
    keys,
    blobs,
    filesOf: (cluster, own = clock) => ({
      cluster: cluster as Cluster,
      bytes: { keys, blobs },
      background: noLiveTraffic(own),
      clock: own,
      random,
      limits: config.files,
      askMs: 1_000,
    }),
  };
}

/** The background of a node without live requests: nothing rests. */
export function noLiveTraffic(clock: Clock): Background {
  return new Background({
    clock,
    limits: config.overload,
    live: { isPresent: false },
    busyMs: () => clock.monotonic(),
  });
}
