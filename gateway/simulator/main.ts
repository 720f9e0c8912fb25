/**
 * Runs a simulated provider as its own process: `main --name SLUG [--port N] [--log FILE] [--documents FOLDER]`. Writes
 * its models documents into the folder, prints `{"port":N}` once it listens, ignores SIGINT, ends on SIGTERM, and ends with the process that started it.
 */
import { parseArgs } from 'node:util';
import { endWithParent } from './end-with-parent.ts';
import { writeDocuments } from './models-document.ts';
import { startSimulator } from './simulator.ts';

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      port: { type: 'string' },
      log: { type: 'string' },
      documents: { type: 'string' },
    },
  });
  if (values.name === undefined) throw new Error('--name SLUG is missing');
  if (values.documents !== undefined) writeDocuments(values.name, values.documents);
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

await run();
