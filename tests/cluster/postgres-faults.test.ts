/** Faults of PostgreSQL under three busy nodes: a server crash, closed connections, lost replies. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { type CutLink, openCutLink } from '../support/postgres/cut-link.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { LaunchedTrio, pause } from './launched-trio.ts';

const it = bounded(test, 120_000);
const NAMES = ['n1', 'n2', 'n3'] as const;
const DOWN_MS = 5_000;

let server: PostgresServer;
let database: TestDatabase;
let link: CutLink;
let trio: LaunchedTrio;
test.before(async () => {
  server = await startPostgres();
  database = await (await openDatabase(server.url)).withKeys();
  // The nodes reach the server over a link that can drop replies.
  link = await openCutLink(database.url);
  trio = new LaunchedTrio();
  await trio.start(link.url);
});
test.after(async () => {
  await trio.close();
  await link.close();
  await server.stop();
});

it('a server crash of 5 s loses no acknowledged commit and ends no node (rule N24)', async () => {
  const verdicts = trio.verdicts().length;
  const before = await Promise.all(NAMES.map((name) => trio.owned(name)));
  const load = trio.load(NAMES);
  await pause(500);
  await server.crash();
  await pause(DOWN_MS);
  for (const name of NAMES) assert.not(await trio.connected(name));
  const { nodes, outage } = await trio.ps('n1');
  assert.equal([nodes.map(({ name }) => name).sort(), nodes.every(({ live }) => live)], [[...NAMES], true]);
  assert.ok(outage !== null && outage.why.length > 0, 'ps tells that the store is out of reach');
  await server.start();
  const backMs = await trio.until(
    async () =>
      (await Promise.all(NAMES.map((name) => trio.add(name, before[0]?.[0] as string)))).every(({ ok }) => ok),
    'all three serve again',
  );
  process.stdout.write(`serving ${Math.round(backMs)} ms after the server was back\n`);
  await load.stop();
  assert.is(trio.verdicts().length, verdicts, trio.verdicts().slice(verdicts).join());
  await trio.checkSums('n1');
});

it('randomly closed connections are reopened; commits without a reply are looked up and never applied twice (rule N23)', async () => {
  const verdicts = trio.verdicts().length;
  const load = trio.load(NAMES);
  let ended = 0;
  for (let round = 0; round < 40; round++) {
    const killed = await database.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE 'troupe%' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 2`,
    );
    ended += killed.length;
    await pause(75);
  }
  const answers = await load.stop();
  const well = answers.filter(({ ok }) => ok);
  const took = well.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const p99 = took[Math.floor(took.length * 0.99)] ?? Number.NaN;
  process.stdout.write(
    `${ended} connections ended; ${well.length} of ${answers.length} answered, p99 ${Math.round(p99)} ms\n`,
  );
  assert.ok(ended >= 40, `only ${ended} connections were ended`);
  assert.ok(well.length > answers.length / 2, `${well.length} of ${answers.length}`);
  assert.is(trio.verdicts().length, verdicts, trio.verdicts().slice(verdicts).join());
  await trio.until(async () => (await trio.add('n2', 'tally:f1')).ok, 'it serves');
  await trio.checkSums('n2');
});

it('a commit whose reply is lost counts neither as failed nor as done: its shard is reloaded (rule N23)', async () => {
  const own = (await trio.owned('n1'))[0] as string;
  const load = trio.load(['n1', 'n2', 'n3']);
  for (let round = 0; round < 4; round++) {
    await pause(300);
    link.swallowAnswers();
    await pause(150);
    link.cut();
    link.mend();
    await trio.until(async () => (await trio.add('n1', own)).ok, 'n1 commits again');
  }
  const answers = await load.stop();
  const lost = answers.filter(({ error }) => / lost$/.test(error)).length;
  process.stdout.write(`${lost} of ${answers.length} asks had an unknown outcome\n`);
  assert.ok(lost > 0, 'no reply to a commit was lost');
  await trio.checkSums('n3');
});

test.run();
