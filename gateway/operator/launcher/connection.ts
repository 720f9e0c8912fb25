/**
 * `<data>/connection.json`: all that a client of a running cluster needs. Written when the cluster is ready, rewritten
 * when a node starts or ends, removed at the stop. A node without a launcher writes its own entry (`lone-node.ts`).
 * Holds keys: only its owner may read it.
 */
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TlsConfig } from '../../terms/config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { writeWhole } from './private-files.ts';

export interface ConnectionInfo {
  /** For clients, such as `http://127.0.0.1:8080/api/v1`; null if no node on this host listens for them. */
  readonly base_url: string | null;
  /** Keys of the demo account; null when the demo is off. */
  readonly api_key: string | null;
  readonly management_key: string | null;
  /** Signs in to the account of the simulated customers; null without them. */
  readonly customers_management_key: string | null;
  /** Operator HTTP address of the first serving node. */
  readonly operator_url: string | null;
  readonly operator_token: string;
  readonly nodes: readonly ConnectionNode[];
}

export interface ConnectionNode {
  readonly name: string;
  readonly pid: number;
  readonly grpc: string;
  readonly operator_url: string;
  /**
   * The files that the node presents to its peers and to operators; they also authorize calls to its operator port.
   * Absent without TLS.
   */
  readonly tls?: TlsConfig;
}

/** Writes versions one after the other, the newest last. */
export class ConnectionFile {
  private readonly file: string;
  private last: Promise<void> = Promise.resolve();

  constructor(data: string) {
    this.file = connectionPath(data);
  }

  write(connection: ConnectionInfo): Promise<void> {
    return this.inTurn(() => writeWhole(this.file, `${JSON.stringify(connection, null, 2)}\n`));
  }

  remove(): Promise<void> {
    return this.inTurn(() => unlink(this.file).catch(() => {}));
  }

  private inTurn(next: () => Promise<void>): Promise<void> {
    const done = this.last.then(next);
    this.last = done.catch(() => {});
    return done;
  }
}

/** Null if no cluster runs on this folder. @throws ConfigError if the file is damaged or unreadable. */
export async function readConnection(data: string): Promise<ConnectionInfo | null> {
  const text = await readFile(connectionPath(data), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') return null;
    throw new ConfigError(
      `${connectionPath(data)} may be read by its owner only (EACCES); run the command as the user that runs the cluster`,
    );
  });
  if (text === null) return null;
  try {
    return JSON.parse(text) as ConnectionInfo;
  } catch {
    throw new ConfigError(`${connectionPath(data)} is damaged; restart the cluster to have it written again`);
  }
}

/** The address for clients on this machine of a listener on `host`. */
export function baseUrl(host: string, port: number): string {
  return `http://${reachable(host)}:${port}/api/v1`;
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

export function connectionPath(data: string): string {
  return join(data, 'connection.json');
}
