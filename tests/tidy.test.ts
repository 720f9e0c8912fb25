/**
 * The house rules: import order of the layers, packages only in their homes, no cycles, sizes, names, no unused files, no
 * real time or chance outside their homes. Every rule reads the source as text; a rule that matches no file fails.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layerOf } from './fixtures/layers.ts';
import { HOMES } from './fixtures/package-homes.ts';
import { functions, ROOT, read, target, walk } from './support/sources.ts';

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const FOLDER_FILES_MAX = 24;

const product = [...walk('actors'), ...walk('gateway'), 'cluster.config.ts'].map(read);
const all = [...product, ...walk('tests').map(read)];

/** The simulated providers: they represent machines of other companies and share no code with the product. */
const SIMULATOR = /^gateway\/simulator\//;
/** Runs in browsers: its packages are bundled when it is built. */
const CONSOLE = /^gateway\/console\//;

/** Entry points above the layers: they may start the composition root. */
const ABOVE_MAIN = /^gateway\/operator\/cli\//;

/** A kind, and what the adapters of providers and the dialects share. */
const KIND = layerOf('actors/account/account.ts');
const ADAPTER = layerOf('gateway/providers/adapter.ts');
const BELOW_ADAPTERS = [layerOf('gateway/terms/turn.ts'), layerOf('gateway/json/json-reader.ts')];

test('every product file belongs to a layer and never imports upward', () => {
  const wrong: string[] = [];
  for (const source of product) {
    const own = layerOf(source.path);
    if (own < 0) wrong.push(`${source.path} belongs to no layer`);
    if (ABOVE_MAIN.test(source.path)) continue;
    for (const specifier of source.imports) {
      const other = target(source, specifier);
      if (other !== null && layerOf(other) > own) wrong.push(`${source.path} imports upward: ${other}`);
    }
  }
  assert.ok(product.length > 20);
  assert.equal(wrong, []);
});

test('the API, the pages and the sockets never import each other', () => {
  const frontOf = (path: string | null): string | undefined => /^gateway\/(api|pages|sockets)\//.exec(path ?? '')?.[1];
  const fronts = product.filter(({ path }) => frontOf(path) !== undefined);
  const wrong = fronts.flatMap((source) =>
    source.imports
      .map((specifier) => target(source, specifier))
      .filter((other) => frontOf(other) !== undefined && frontOf(other) !== frontOf(source.path))
      .map((other) => `${source.path} imports ${other}`),
  );
  assert.ok(fronts.length > 100);
  assert.equal(wrong, []);
});

test('no two folders import each other', () => {
  const imported = new Map<string, Set<string>>();
  for (const source of product) {
    for (const specifier of source.imports) {
      const other = target(source, specifier);
      const [from, to] = [dirname(source.path), dirname(other ?? source.path)];
      if (from !== to) imported.set(from, (imported.get(from) ?? new Set()).add(to));
    }
  }
  const mutual = [...imported].flatMap(([from, all]) =>
    [...all].filter((to) => from < to && imported.get(to)?.has(from)).map((to) => `${from} | ${to}`),
  );
  assert.ok(imported.size > 50);
  assert.equal(mutual, []);
});

test('a folder holds at most 24 files', () => {
  const files = new Map<string, number>();
  for (const { path } of product) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  assert.equal(
    [...files].filter(([, count]) => count > FOLDER_FILES_MAX),
    [],
  );
});

test('the simulated providers import nothing of the product, and only tests import them', () => {
  const crossings = product.flatMap((source) =>
    source.imports
      .map((specifier) => target(source, specifier))
      .filter((other) => other !== null && SIMULATOR.test(source.path) !== SIMULATOR.test(other))
      .map((other) => `${source.path} imports ${other}`),
  );
  assert.ok(product.some((source) => SIMULATOR.test(source.path)));
  assert.equal(crossings, []);
});

test('kinds never import each other and dialects and providers never meet', () => {
  const wrong: string[] = [];
  for (const source of product) {
    for (const specifier of source.imports) {
      const other = target(source, specifier);
      if (other === null) continue;
      const [top, folder] = source.path.split('/');
      const [otherTop, otherFolder] = other.split('/');
      const kinds = layerOf(source.path) === KIND && layerOf(other) === KIND && folder !== otherFolder;
      const adapters =
        layerOf(source.path) === ADAPTER && !BELOW_ADAPTERS.includes(layerOf(other)) && other.startsWith('gateway/');
      const sameFolder = top === otherTop && folder === otherFolder;
      if (kinds || (adapters && !sameFolder)) wrong.push(`${source.path} imports ${other}`);
    }
  }
  assert.equal(wrong, []);
});

/** The dialect whose folder a file lies in: every folder of `gateway/dialects` but the two that all dialects share. */
function dialectOf(path: string): string | undefined {
  return /^gateway\/dialects\/(?!reply\/|request\/)([^/]+)\//.exec(path)?.[1];
}

test('dialects never import each other, and what they share imports no dialect', () => {
  assert.ok(product.some(({ path }) => dialectOf(path) === 'chat'));
  const inFolders = product.filter(({ path }) => /^gateway\/dialects\/[^/]+\//.test(path));
  const wrong = inFolders.flatMap((source) =>
    source.imports
      .map((specifier) => dialectOf(target(source, specifier) ?? ''))
      .filter((dialect) => dialect !== undefined && dialect !== dialectOf(source.path))
      .map((dialect) => `${source.path} imports the dialect ${dialect}`),
  );
  assert.equal(wrong, []);
});

const OPERATOR_DOORS: ReadonlySet<string> = new Set([
  'actors/runtime/inspect/preflight.ts',
  'actors/runtime/inspect/replay.ts',
]);

test('the runtime is imported through its door, except by the composition root and the operator tools', () => {
  const wrong: string[] = [];
  for (const source of product) {
    if (source.path.startsWith('actors/runtime/') || /^gateway\/(main\.ts$|node\/)/.test(source.path)) continue;
    for (const specifier of source.imports) {
      const other = target(source, specifier);
      if (!other?.startsWith('actors/runtime/') || other === 'actors/runtime/index.ts') continue;
      const operator = source.path.startsWith('gateway/operator/') && OPERATOR_DOORS.has(other);
      if (!operator) wrong.push(`${source.path} imports ${other}`);
    }
  }
  assert.equal(wrong, []);
});

test('the runtime imports nothing outside itself', () => {
  const wrong = product
    .filter((source) => source.path.startsWith('actors/runtime/'))
    .flatMap((source) => source.imports.map((specifier) => target(source, specifier)).filter((path) => path !== null))
    .filter((path) => !path.startsWith('actors/runtime/'));
  assert.equal(wrong, []);
});

/** What pages and console share: their look, and how they write amounts and times. */
const SHARED = /^gateway\/pages\/kit\/(?:assets\/|parts\/format\.ts$)/;

test('the console imports nothing of the product but what it shares with the pages, and nothing of the product imports it', () => {
  const wrong = product.flatMap((source) =>
    source.imports
      .map((specifier) => target(source, specifier))
      .filter((path) => path !== null && !SHARED.test(path) && CONSOLE.test(path) !== CONSOLE.test(source.path))
      .map((path) => `${source.path} imports ${path}`),
  );
  assert.equal(wrong, []);
});

test('the console is bundled of packages that a start without development dependencies fetches', async () => {
  const { PACKAGES } = (await import(new URL('../scripts/console.mjs', import.meta.url).href)) as {
    readonly PACKAGES: readonly string[];
  };
  const imported = product
    .filter(({ path }) => CONSOLE.test(path))
    .flatMap(({ imports }) => imports.filter((specifier) => !specifier.startsWith('.')));
  const packages = new Set(imported.map((specifier) => specifier.split('/')[0]));
  assert.equal([...packages].sort(), [...PACKAGES].sort());
});

test('packages are imported only in their homes, and each is declared', () => {
  const declared = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies as Record<string, string>;
  const wrong: string[] = [];
  const used = new Set<string>();
  for (const source of product.filter(({ path }) => !CONSOLE.test(path))) {
    for (const specifier of source.imports) {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      used.add(name);
      if (!(name in declared)) wrong.push(`${source.path}: ${name} is not a runtime dependency`);
      const home = HOMES.find(([id]) => id === specifier)?.[1];
      if (home && !home.test(source.path)) wrong.push(`${source.path}: ${specifier} has its home elsewhere`);
    }
  }
  for (const name of Object.keys(declared)) if (!used.has(name)) wrong.push(`${name} is declared and never imported`);
  assert.equal(wrong, []);
  assert.ok(Object.keys(declared).length <= 34);
});

test('every runtime dependency has its line of reason', () => {
  const reasons = readFileSync(join(ROOT, 'docs', 'packages.md'), 'utf8');
  const declared = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies as Record<string, string>;
  assert.equal(
    Object.keys(declared).filter((name) => !reasons.includes(`\`${name}\``)),
    [],
  );
});

test('there are no import cycles', () => {
  const edges = new Map(
    all.map((source) => [
      source.path,
      source.imports.map((specifier) => target(source, specifier)).filter((path): path is string => path !== null),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) cycles.push([...trail.slice(seen), path].join(' -> '));
    if (seen >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  assert.equal(cycles, []);
});

const REAL_TIME =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(|\bsetImmediate\(/;
/** The system's ports; the simulated providers, which pace their answers in real time as a provider does; the browser. */
const TIME_HOMES = /^(actors\/runtime\/system|gateway\/simulator|gateway\/console)\//;

test('real time and chance are touched only in their homes', () => {
  const wrong = product.filter(
    (source) => !TIME_HOMES.test(source.path) && REAL_TIME.test(withoutComments(source.text)),
  );
  assert.equal(
    wrong.map((source) => source.path),
    [],
  );
});

test('only the composition root and the config loader read the environment', () => {
  // The simulated facilitator and customers are processes of their own; their secrets are in no list of processes.
  const allowed =
    /^gateway\/(main\.ts|operator\/(cli|config|launcher)\/|simulator\/(facilitator|customers)\/main\.ts$)/;
  const wrong = product.filter(
    (source) => !allowed.test(source.path) && /\bprocess\.env\b/.test(withoutComments(source.text)),
  );
  assert.equal(
    wrong.map((source) => source.path),
    [],
  );
});

test('money is never a float: no Number() or parseFloat where money lives (rule K40)', () => {
  const homes = /^(actors\/(account|key|terms)\/|gateway\/pricing\/)/;
  const wrong = product
    .filter((source) => homes.test(source.path))
    .filter((source) => /\bparseFloat\(|\bNumber\(/.test(withoutComments(source.text)));
  assert.equal(
    wrong.map((source) => source.path),
    [],
  );
});

const BANNED = /(^|\/)(utils?|helpers?|common|misc|managers?|types)(\.ts|\/)/;

test('names are kebab-case nouns and verbs, none of the banned ones', () => {
  const wrong = all
    .map((source) => source.path)
    .filter((path) => BANNED.test(path) || !path.split('/').every((part) => /^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)));
  assert.equal(wrong, []);
  const indexes = product.map((source) => source.path).filter((path) => path.endsWith('/index.ts'));
  assert.equal(indexes, ['actors/runtime/index.ts']);
});

test('no two classes and no two exported types share a name', () => {
  const homes = new Map<string, string[]>();
  for (const { path, text } of product.filter((source) => !SIMULATOR.test(source.path))) {
    for (const [, name = ''] of text.matchAll(/^(?:export (?:class|interface|type)|(?:abstract )?class) (\w+)/gm))
      homes.set(name, [...(homes.get(name) ?? []), path]);
  }
  const twice = [...homes].filter(([, paths]) => paths.length > 1);
  assert.ok(homes.size > 300);
  assert.equal(twice, []);
});

test('files and functions stay under the size limits', () => {
  const files = all
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  const long = product.flatMap(({ path, text }) =>
    functions(text)
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ name, lines }) => `${path}#${name}: ${lines} lines`),
  );
  assert.equal([...files, ...long], []);
});

test('no literal is spread into another one: it is written out', () => {
  const wrong = product.flatMap(({ path, text }) =>
    [...text.matchAll(/\.\.\.(?:\{(?: |$)|\[[^[\]]*\](?![.:]))/gm)].map(
      ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`,
    ),
  );
  assert.equal(wrong, []);
});

/** What a file declares with `export`, on one line each. */
const EXPORTED = /^export (?:async )?(?:abstract )?(?:function\*? |class |interface |type |const |let )(\w+)/gm;
/** The names that an import or a re-export takes of a module. */
const NAMES_OF = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm;
/** An import of a whole module, under a name or while the program runs. */
const WHOLE_OF = /\* as \w+ from '([^']+)'|import\(\s*'([^']+)'/g;

test('no file exports what no other file imports', () => {
  const taken = new Set<string>();
  const whole = new Set<string>(['cluster.config.ts']);
  for (const source of all) {
    for (const [, names = '', specifier = ''] of source.text.matchAll(NAMES_OF)) {
      const module = target(source, specifier);
      for (const name of names.split(','))
        taken.add(
          `${module}#${name
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/s, '')}`,
        );
    }
    for (const [, named, later] of source.text.matchAll(WHOLE_OF))
      whole.add(target(source, named ?? later ?? '') ?? '');
  }
  const wrong = all.flatMap(({ path, text }) =>
    whole.has(path)
      ? []
      : [...text.matchAll(EXPORTED)]
          .filter(([, name]) => !taken.has(`${path}#${name}`))
          .map(([, name]) => `${path}: ${name}`),
  );
  assert.ok(taken.size > 1_000);
  assert.equal(wrong, []);
});

test('each machine has its kind and its test', () => {
  const machines = product.map((source) => source.path).filter((path) => path.endsWith('.machine.ts'));
  const paths = new Set(all.map((source) => source.path));
  const wrong = machines.flatMap((path) => {
    const noun = path.slice(path.lastIndexOf('/') + 1, -'.machine.ts'.length);
    const folder = dirname(path);
    const kind = `${folder}/${noun}.ts`;
    const tests = [...paths].filter((other) => other.startsWith(`tests/${folder}/`) && other.endsWith('.test.ts'));
    return [
      ...(paths.has(kind) ? [] : [`${path} has no ${kind}`]),
      ...(tests.length > 0 ? [] : [`${path} has no test`]),
    ];
  });
  assert.ok(machines.length > 0);
  assert.equal(wrong, []);
});

/** Started by path, not by import. */
const ENTRIES =
  /^(gateway\/operator\/cli\/main\.ts|cluster\.config\.ts|tests\/.*\.test\.ts|tests\/(chaos|bench|simulation)\/main\.ts|.*\/(worker|writer|main)\.tsx?|.*\.d\.ts)$/;

test('no file is unused', () => {
  const imported = new Set(
    all.flatMap((source) =>
      source.imports.map((specifier) => target(source, specifier)).filter((path) => path !== null),
    ),
  );
  const named = all.map((source) => source.text).join('\n');
  const wrong = all
    .map((source) => source.path)
    .filter((path) => !imported.has(path) && !ENTRIES.test(path))
    .filter(
      (path) =>
        !named.includes(`/${path.slice(path.lastIndexOf('/') + 1)}`) &&
        !named.includes(`'${path.slice(path.lastIndexOf('/') + 1)}`),
    );
  assert.equal(wrong, []);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

test.run();
