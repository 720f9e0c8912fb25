import { join } from 'node:path';
import { type Maintenance, maintenanceOf, systemClock, systemRandom } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { storeChoice } from './store-choice.ts';

/** Heartbeats after which a running node is certain to have been seen. */
const BEATS = 3;

/** Maintenance of the configured database. */
export function openMaintenance(
  config: ClusterConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Maintenance> {
  const { shards, heartbeatMs } = config.runtime;
  return maintenanceOf(storeChoice(config, env), {
    shards,
    clock: systemClock,
    random: systemRandom,
    beatMs: heartbeatMs * BEATS,
    marks: join(config.data, 'marks'),
  });
}
