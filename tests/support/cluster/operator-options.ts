import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readToken } from '../../../gateway/operator/config/secrets.ts';
import type { TestCluster } from './start-cluster.ts';

/** The options with which commands of `troupe` reach a cluster of the test's own process. */
export async function operatorOptions({ nodes, baseUrls, folder }: TestCluster): Promise<readonly string[]> {
  const listed = nodes.map(({ name, pid, grpcAddress: grpc, operatorUrl: operator_url }) => {
    return { name, pid, grpc, operator_url };
  });
  const operator_token = await readToken(folder, 'operator');
  const connection = { base_url: baseUrls[0], operator_token, nodes: listed };
  await writeFile(join(folder, 'connection.json'), JSON.stringify(connection));
  return ['--data', folder];
}

const GROUPS: readonly (string | undefined)[] = ['accounts', 'keys', 'workspaces'];
const READS: readonly (string | undefined)[] = ['list', 'show', 'sessions', 'ledger', 'refused', 'generations'];

/** A command, with a reason if it is a change of `accounts`, `keys` or `workspaces`, or a notice. */
export function reasoned(args: readonly string[]): readonly string[] {
  const isChange = GROUPS.includes(args[0]) ? !READS.includes(args[1]) : args[1] === 'notice';
  return isChange ? [...args, '--reason', 'a test'] : args;
}
