/**
 * A node in a process of its own that removes old months once, and is killed at a crash point:
 * `retention-node.ts DATABASE FOLDER SHIFT_MS [POINT [N]]`. Its clock is ahead by SHIFT_MS. For tests of retention.
 */

import { ChainSweep } from '../../gateway/management/retention/chain-sweep.ts';
import { ExportFolder } from '../../gateway/management/retention/export-folder.ts';
import { openAged } from './aged-ledger.ts';

const [database = '', folder = '', shift = '0', point = '', nth = '1'] = process.argv.slice(2);
const { cluster, clock, close } = await openAged(database, Number(shift));
let left = Number(nth);
const crashpoint = (name: string): void => {
  if (name === point && --left === 0) process.kill(process.pid, 'SIGKILL');
};
const sweep = new ChainSweep({
  cluster,
  clock,
  retention: { ledger: 90, audit: 90 },
  folder: new ExportFolder(folder, 'n1', crashpoint),
  crashpoint,
  askMs: 10_000,
  log: { info: () => {}, warn: (record) => process.stderr.write(`${JSON.stringify(record)}\n`) },
});
await sweep.round();
await close();
