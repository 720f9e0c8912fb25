/**
 * The built `troupe` command, whose nodes run the kinds and the activity of the cluster tests too, and write what they
 * hold into their log when they are asked with SIGPWR. Plain JavaScript over the build. The files of the kinds are those that the test runner compiled; for a test that runs alone, a TypeScript
 * loader reads them once the rest is loaded: a loader for everything doubles the CPU time of a start.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runProgram } from '../../../dist/gateway/operator/cli/program.js';

/** Sends an actor of a test one event; the routes of the product have no such thing. */
const ASK = {
  method: 'POST',
  path: '/api/test/ask',
  policy: 'operator',
  summary: 'Ask an actor.',
  body: {
    type: 'object',
    required: ['to', 'event', 'withinMs'],
    properties: { to: { type: 'string' }, event: {}, withinMs: { type: 'integer' } },
  },
  answer: async ({ cluster, body: { to, event, withinMs } }) => {
    try {
      return { body: await cluster.ask(to, event, { withinMs }) };
    } catch (error) {
      return { error: error.message };
    }
  },
};

const ports = process.argv[2] === 'node' ? await testPorts() : {};
void runProgram(fileURLToPath(import.meta.url), ports);

async function testPorts() {
  await import('../../../dist/gateway/main.js');
  const load = loader(process.env.TROUPE_COMPILED_TESTS);
  const { tally } = await load('actors/example-kinds/tally');
  const { senderKind } = await load('actors/example-kinds/sender');
  const { WIDE } = await load('support/wide');
  const { bytesHeld } = await load('support/bytes-held');
  process.on('SIGPWR', () => process.stdout.write(`${JSON.stringify({ msg: 'weighed', bytes: bytesHeld() })}\n`));
  // Says that it runs, runs until the given file exists, and returns the pid of the process that ran it.
  const run = async ({ input }) => {
    writeFileSync(`${input}.running`, '');
    while (!existsSync(input)) await new Promise((resolve) => setTimeout(resolve, 20));
    return process.pid;
  };
  return { kinds: [tally, senderKind], activities: () => ({ work: { ...WIDE, run } }), operatorRoutes: [ASK] };
}

function loader(compiled) {
  if (compiled) return (file) => import(pathToFileURL(`${compiled}/tests/${file}.js`).href);
  return (file) => import(`../../${file}.ts`);
}
