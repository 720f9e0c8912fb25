/**
 * A node in a process of its own that removes old months once, and is killed at a crash point:
 * `retention-node.ts DATABASE FOLDER POINT N`. For tests of retention.
 */
import { agedSweep, openAged } from './aged-ledger.ts';

const [database = '', folder = '', point = '', nth = '1'] = process.argv.slice(2);
const aged = await openAged(database, 0);
let left = Number(nth);
await agedSweep(aged, folder, (name) => {
  if (name === point && --left === 0) process.kill(process.pid, 'SIGKILL');
}).round();
await aged.close();
