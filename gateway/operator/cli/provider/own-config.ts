/** The configuration file that the commands of real providers read and change, and calls to such a provider. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../../../../actors/runtime/index.ts';
import defaults from '../../../../cluster.config.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import type { Outbound } from '../../../outbound/outbound.ts';
import { Pools } from '../../../outbound/pools.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readLastStart } from '../../launcher/last-start.ts';
import type { GlobalOptions } from '../frame/command.ts';

const USUAL_NAME = 'troupe.json';
const CONNECTIONS_MAX = 4;

export interface OwnConfig {
  /** Absolute. */
  readonly path: string;
  /** Null: there is no such file yet. */
  readonly text: string | null;
}

/** The file of `--config`, else that of the data folder's last start, else `troupe.json` here. @throws ConfigError */
export async function ownConfig({ config, data = defaults.data }: GlobalOptions): Promise<OwnConfig> {
  const remembered = config ?? (await readLastStart(resolve(data)))?.config ?? USUAL_NAME;
  const path = resolve(remembered);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`${path}: cannot be read (${error.code})`);
  });
  return { path, text };
}

/** Runs with a connection pool of its own, whose calls belong to no node. */
export async function withOutbound<T>(run: (outbound: Outbound) => Promise<T>): Promise<T> {
  const { connectMs } = defaults.upstream;
  const outbound = new Pools({
    lease: NO_NODE,
    clock: systemClock,
    connectionsPerOriginMax: CONNECTIONS_MAX,
    connectMs,
  });
  try {
    return await run(outbound);
  } finally {
    await outbound.close();
  }
}
