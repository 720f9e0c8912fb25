import { LRUCache } from 'lru-cache';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import { defaultWorkspaceId } from '../../actors/terms/ids.ts';
import type { WorkspaceRouting } from '../../actors/terms/workspace.ts';
import { findWorkspace } from '../../actors/workspace/workspace.ts';
import type { ClusterConfig } from '../terms/config/config.ts';

/**
 * How long a node goes by what it read of a key's row or a workspace's. A change is effective on every node within two
 * seconds; the rest is for the read itself.
 */
export const SETTINGS_MS = 1_500;
/** Workspaces whose settings one node keeps. */
const KEPT_MAX = 10_000;

/** What the configuration sets for the default workspace of every account before its first change. */
export function configuredRouting({ workspace }: Pick<ClusterConfig, 'workspace'>): WorkspaceRouting {
  return { allowed: null, ignored: [], ...workspace };
}

interface Kept {
  readonly routing: WorkspaceRouting;
  readonly readAt: number;
}

/**
 * The routing settings of workspaces as their rows state them, read again when older than `SETTINGS_MS`. Requests that
 * meet while one reads share the read.
 */
export class Workspaces {
  readonly #cluster: Pick<Cluster, 'rows'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #defaults: WorkspaceRouting;
  readonly #kept = new LRUCache<string, Kept>({ max: KEPT_MAX });
  readonly #reading = new Map<string, Promise<WorkspaceRouting>>();

  constructor(cluster: Pick<Cluster, 'rows'>, clock: Pick<Clock, 'monotonic'>, config: ClusterConfig) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#defaults = configuredRouting(config);
  }

  /** `account` is an account id; `workspace` null is the default one. A promise rejects where the store does. */
  routingOf(account: string, workspace: string | null): WorkspaceRouting | Promise<WorkspaceRouting> {
    const name = `${account}/${workspace ?? ''}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && this.#clock.monotonic() - kept.readAt < SETTINGS_MS) return kept.routing;
    const reading = this.#reading.get(name) ?? this.#read(account, workspace, name);
    this.#reading.set(name, reading);
    return reading;
  }

  async #read(account: string, workspace: string | null, name: string): Promise<WorkspaceRouting> {
    const readAt = this.#clock.monotonic();
    try {
      const found = await findWorkspace(this.#cluster.rows, account, workspace ?? defaultWorkspaceId(account));
      const routing = found ?? this.#defaults;
      this.#kept.set(name, { routing, readAt });
      return routing;
    } finally {
      this.#reading.delete(name);
    }
  }
}
