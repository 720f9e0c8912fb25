/**
 * Builds `dist/` if a source changed since the last build; otherwise returns quickly. A bundler erases the types without
 * a check (`npm run check` does that) and joins sources and packages in a few files, since a process that loads 900 files
 * takes 0.6 s of CPU time longer to start. The files that a process starts with keep their paths; what they share, and
 * what they load later, lies in `dist/chunks/`. As a script it builds and prints the result.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleConsole, bundler, isConsole } from './console.mjs';
import { log, ROOT } from './run.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const FOLDERS = ['actors', 'gateway', 'proto'];
const FILES = ['cluster.config.ts', 'tsconfig.json', 'package-lock.json', 'scripts/build.mjs', 'scripts/console.mjs'];

/** What processes start with. The last three are only for tests, which run them in processes of their own. */
const ENTRIES = [
  'gateway/operator/cli/main.ts',
  'gateway/simulator/main.ts',
  'gateway/simulator/facilitator/main.ts',
  'gateway/simulator/customers/main.ts',
  'gateway/main.ts',
  'gateway/operator/cli/program.ts',
  'gateway/operator/launcher/node-receiver.ts',
];
/** Threads, and the process of a query, lie beside the chunk that starts them. */
const BESIDE = [
  'actors/runtime/stores/sqlite/writer-thread.ts',
  'actors/runtime/stores/sqlite/checkpointer-thread.ts',
  'actors/runtime/stores/query/query-process.ts',
];
/** A native module, and a driver that only clusters on PostgreSQL load. Tests inject faults into both. */
const LEFT_IN_PACKAGES = ['better-sqlite3', 'pg'];
/** Packages that are not ES modules load parts of Node through `require`. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`;

/**
 * `node:http` as a module reads every member of it, and its `WebSocket` loads a second HTTP client: 70 ms of CPU time
 * of each start. Required, it loads none.
 */
const REQUIRED_HTTP = {
  name: 'required-http',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    build.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * True if it built. Built in a temporary folder and moved into place: a cluster that runs from `dist/` never sees a
 * partial build.
 */
export async function ensureBuilt() {
  const wanted = stampOf(productSources());
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return false;
  const temporary = join(ROOT, 'node_modules', '.cache', 'troupe', `build-${process.pid}`);
  rmSync(temporary, { recursive: true, force: true });
  await bundle(temporary);
  await bundleConsole(join(temporary, 'console'));
  copyDocuments(temporary);
  writeFileSync(join(temporary, '.built'), wanted);
  // Two renames directly after each other: a cluster that starts meanwhile finds the old build or the new one.
  if (existsSync(DIST)) renameSync(DIST, `${temporary}.old`);
  renameSync(temporary, DIST);
  rmSync(`${temporary}.old`, { recursive: true, force: true });
  return true;
}

/** Ends this process on a syntax error or a missing file, after the bundler has printed it. */
async function bundle(folder) {
  const { build } = await bundler();
  const entries = [
    ...ENTRIES.map((file) => ({ in: file, out: file.replace(/\.ts$/, '') })),
    ...BESIDE.map((file) => ({ in: file, out: `chunks/${basename(file, '.ts')}` })),
  ];
  const options = {
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir: DIST,
    write: false,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    external: LEFT_IN_PACKAGES,
    banner: { js: REQUIRE },
    plugins: [REQUIRED_HTTP],
    sourcemap: true,
    sourcesContent: false,
  };
  const { outputFiles } = await build(options).catch(() => {
    log('troupe: the sources do not compile; see above');
    process.exit(1);
  });
  // Not written by the bundler, since source maps name the sources as seen from `dist/`.
  for (const { path, contents } of outputFiles) {
    const file = join(folder, relative(DIST, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
}

/** Copies the documents of the product (protobuf files, assets of the pages, the list of simulated providers) to the same place. */
export function copyDocuments(folder) {
  for (const path of FOLDERS.flatMap(filesIn)) {
    if (isConsole(path) || /\.(ts|md)$/.test(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(folder, path));
  }
}

/** The files that the product is built of. */
export function productSources() {
  return [...FOLDERS.flatMap(filesIn), ...FILES];
}

export function filesIn(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** Names the state of these files by their times and sizes. */
export function stampOf(sources) {
  const hash = createHash('sha256');
  for (const path of [...sources].sort()) {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ensureInstalled } = await import('./install.mjs');
  ensureInstalled();
  log((await ensureBuilt()) ? 'Built dist/' : 'dist/ is up to date');
}
