/**
 * The simulated customers of the demo: one process that calls the public API with a key of its own, so that health,
 * charts and lists show something. It is not restarted: nothing depends on it.
 */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { Journal } from './journal.ts';
import { openLog } from './log-files.ts';

interface CustomersOptions {
  /** The launcher's own module, `gateway/operator/cli/main`, which locates the program. */
  readonly entry: string;
  readonly logs: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly journal: Journal;
}

export interface Customers {
  stop(): void;
}

export function startCustomers({ entry, logs, baseUrl, key, journal }: CustomersOptions): Customers {
  const main = join(resolve(entry, '../../../simulator/customers'), `main${extname(entry)}`);
  const errors = openLog(join(logs, 'customers.log'));
  // In the environment, since everybody on the host can read the arguments of a process.
  const env = { ...process.env, TROUPE_CUSTOMERS_KEY: key };
  const child = spawn(process.execPath, [...process.execArgv, main, '--base-url', baseUrl], {
    stdio: ['pipe', errors, errors],
    env,
  });
  if (errors !== 'ignore') closeSync(errors);
  const ended = (how: string | number | null): void => journal({ event: 'customers.end', how });
  child.on('error', ({ message }) => ended(message));
  child.on('exit', (code, signal) => ended(signal ?? code));
  journal({ event: 'customers.start', pid: child.pid ?? null });
  return { stop: () => void child.kill('SIGTERM') };
}
