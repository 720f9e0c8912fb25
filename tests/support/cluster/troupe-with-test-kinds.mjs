/**
 * The built `troupe` command, whose nodes run the kinds and the activity of the cluster tests too. Plain JavaScript over
 * the build, and a TypeScript loader only for the files of the kinds, once the rest is loaded: a loader for everything
 * doubles the CPU time of a start.
 */
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../../dist/gateway/operator/cli/program.js';

const ports = process.argv[2] === 'node' ? await testPorts() : {};
void runProgram(fileURLToPath(import.meta.url), ports);

async function testPorts() {
  await import('../../../dist/gateway/main.js');
  const { tsImport } = await import('tsx/esm/api');
  const { tally } = await tsImport('../../cluster/tally.ts', import.meta.url);
  const { senderKind } = await tsImport('../../actors/example-kinds/sender.ts', import.meta.url);
  const { WIDE } = await tsImport('../wide.ts', import.meta.url);
  // Takes the given ms, and returns the pid of the process that ran it.
  const run = async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(input)));
    return process.pid;
  };
  return { kinds: [tally, senderKind], activities: () => ({ work: { ...WIDE, run } }) };
}
