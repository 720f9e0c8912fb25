/**
 * Runs a simulated provider as its own process: `main --name SLUG [--port N] [--log FILE]`. Prints `{"port":N}` once it
 * listens, ignores SIGINT, ends on SIGTERM, and ends with the process that started it.
 */
import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSimulator } from './simulator.ts';

const PARENT_CHECK_MS = 1_000;

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { name: { type: 'string' }, port: { type: 'string' }, log: { type: 'string' } },
  });
  if (values.name === undefined) throw new Error('--name SLUG is missing');
  const simulator = await startSimulator({
    name: values.name,
    port: Number(values.port ?? 0),
    ...(values.log === undefined ? {} : { log: values.log }),
  });
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    void simulator.close().then(() => process.exit(0));
  };
  process.on('SIGINT', () => {});
  process.on('SIGTERM', end);
  endWithParent(end);
  process.stdout.write(`${JSON.stringify({ port: simulator.port })}\n`);
  process.send?.({ port: simulator.port });
}

/** Detects the end of the parent in three ways: its channel closes, its pipe ends, or the parent pid changes. */
function endWithParent(end: () => void): void {
  process.on('disconnect', end);
  process.stdout.on('error', end);
  const input = fstatSync(0);
  if (input.isFIFO() || input.isSocket()) process.stdin.on('close', end).on('end', end).resume();
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS).unref();
}

await run();
