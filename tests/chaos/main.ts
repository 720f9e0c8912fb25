import { parseArgs } from 'node:util';
import { buildFirst } from '../support/cluster/build-first.ts';
import { STORE_KINDS } from './chaos-store.ts';
import { SQLITE_WAYS, WAYS } from './line-faults.ts';
import { renderLines, runLines } from './lines.ts';
import { passed, render } from './report.ts';
import { runChaos } from './run.ts';
import { renderVideos, runVideos, VIDEO_POINTS, VIDEO_WAYS } from './videos.ts';

/**
 * `npm run chaos -- --store sqlite|postgres --kills N [--stops N] [--cuts N] [--losses N] [--clocks N] [--fulls N] [--keyouts N] [--seed N] [--points A,B] [--in-flight N] [--calm MS] [--owners none] [--busy N] [--keep]`: real node processes under
 * load, one fault after the other, then the audit; keys change and payments arrive beside the load unless `--owners none`. `--busy N`: beside N busy loops. `--lines N [--way kill|drain|all|lost|revoke] [--every MS]`: two batches of N
 * lines instead, the second one while nodes end every few seconds, or while its sealing keys or its API key are lost.
 * `--videos N [--way kill|stop|drain|cut|all] [--every MS] [--points A,B]`: N video jobs with webhooks instead, until every
 * crash point was reached. Exit code 0 only for a clean run in which every fault took effect.
 */
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    kills: { type: 'string', default: '20' },
    stops: { type: 'string', default: '0' },
    cuts: { type: 'string', default: '0' },
    losses: { type: 'string', default: '0' },
    clocks: { type: 'string', default: '0' },
    fulls: { type: 'string', default: '0' },
    keyouts: { type: 'string', default: '0' },
    seed: { type: 'string' },
    lines: { type: 'string' },
    videos: { type: 'string' },
    way: { type: 'string' },
    every: { type: 'string', default: '5000' },
    points: { type: 'string' },
    owners: { type: 'string', default: 'all' },
    busy: { type: 'string', default: '0' },
    'in-flight': { type: 'string', default: '24' },
    calm: { type: 'string', default: '1500' },
    keep: { type: 'boolean', default: false },
  },
});
const store = STORE_KINDS.find((kind) => kind === values.store);
if (store === undefined) {
  process.stderr.write(`chaos: unknown store "${values.store}"; use --store ${STORE_KINDS.join(' or ')}\n`);
  process.exit(1);
}
const onSqlite = ['losses', 'keyouts', 'fulls'] as const;
for (const name of onSqlite) {
  if (store === 'sqlite' || values[name] === '0') continue;
  process.stderr.write(`chaos: --${name} applies to the embedded size only; use --store sqlite\n`);
  process.exit(1);
}
await buildFirst();
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const tell = (line: string): boolean => process.stderr.write(`${line}\n`);
if (values.lines !== undefined) {
  const way = WAYS.find((each) => each === (values.way ?? 'kill'));
  if (way === undefined || (store !== 'sqlite' && SQLITE_WAYS.includes(way))) {
    process.stderr.write(`chaos: use --way ${WAYS.join(', ')}; ${SQLITE_WAYS.join(', ')} with --store sqlite only\n`);
    process.exit(1);
  }
  const report = await runLines({ store, way, lines: Number(values.lines), everyMs: Number(values.every), seed, tell });
  const text = renderLines(report);
  process.stdout.write(`${text}\n`);
  process.exit(text.endsWith('\nclean') ? 0 : 1);
}
if (values.videos !== undefined) {
  const text = renderVideos(
    await runVideos({
      ...{ store, jobs: Number(values.videos), inFlight: Number(values['in-flight']), seed, tell },
      ways: values.way === undefined ? VIDEO_WAYS : VIDEO_WAYS.filter((each) => each === values.way),
      // `--points none` arms none.
      points: values.points?.split(',').filter((point) => point !== 'none') ?? VIDEO_POINTS,
      everyMs: Number(values.every),
    }),
  );
  process.stdout.write(`${text}\n`);
  process.exit(text.endsWith('\nclean') ? 0 : 1);
}
const report = await runChaos({
  store,
  kills: Number(values.kills),
  stops: Number(values.stops),
  cuts: Number(values.cuts),
  losses: Number(values.losses),
  clocks: Number(values.clocks),
  fulls: Number(values.fulls),
  keyouts: Number(values.keyouts),
  owners: values.owners !== 'none',
  busy: Number(values.busy),
  seed,
  ...(values.points === undefined ? {} : { points: values.points.split(',') }),
  inFlight: Number(values['in-flight']),
  calmMs: Number(values.calm),
  keep: values.keep,
  tell,
});
process.stdout.write(`${render(report)}\n`);
process.exit(passed(report) ? 0 : 1);
