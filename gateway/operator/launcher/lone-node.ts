/**
 * The entry of a node without a launcher in `<data>/connection.json`. Several such nodes may share the folder: each
 * adds itself beside those whose processes live, and removes itself when its process exits.
 */
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { type ConnectionInfo, type ConnectionNode, connectionPath, readConnection } from './connection.ts';
import { writeWhole } from './private-files.ts';
import { isAlive } from './process-state.ts';

export interface LoneNode {
  readonly data: string;
  readonly node: ConnectionNode;
  /** Null if the node does not listen for clients. */
  readonly baseUrl: string | null;
  readonly operatorToken: string;
}

export async function addLoneNode({ data, node, baseUrl, operatorToken }: LoneNode): Promise<void> {
  const found = await readConnection(data).catch(() => null);
  const others = (found?.nodes ?? []).filter(({ name, pid }) => name !== node.name && isAlive(pid));
  const kept = others.length > 0 ? found : null;
  const connection: ConnectionInfo = {
    base_url: baseUrl ?? kept?.base_url ?? null,
    api_key: kept?.api_key ?? null,
    management_key: kept?.management_key ?? null,
    customers_management_key: kept?.customers_management_key ?? null,
    operator_url: kept?.operator_url ?? node.operator_url,
    operator_token: operatorToken,
    nodes: [...others, node],
  };
  await writeWhole(connectionPath(data), text(connection));
}

/** For the exit of a process, which waits for nothing. A node that was killed stays listed; commands try the others. */
export function removeLoneNode({ data, node, baseUrl }: Pick<LoneNode, 'data' | 'node' | 'baseUrl'>): void {
  const file = connectionPath(data);
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as ConnectionInfo;
    const others = found.nodes.filter(({ pid }) => pid !== node.pid);
    if (others.length === 0) {
      unlinkSync(file);
      return;
    }
    const temporary = `${file}.${node.pid}`;
    const left: ConnectionInfo = {
      ...found,
      base_url: found.base_url === baseUrl ? null : found.base_url,
      operator_url: others[0]?.operator_url ?? null,
      nodes: others,
    };
    writeFileSync(temporary, text(left), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // Removed already, or the disk is full: nothing depends on it.
  }
}

function text(connection: ConnectionInfo): string {
  return `${JSON.stringify(connection, null, 2)}\n`;
}
