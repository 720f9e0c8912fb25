/** Checks the documents against the repository: links, paths, commands, and the glossary of the actor runtime. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ACTORS, GATEWAY, RUNTIME } from './fixtures/layers.ts';
import { COMMANDS_PAGE, commandsByName, subjectsOf, withTables } from './support/commands-page.ts';
import { ROOT, read, walk } from './support/sources.ts';

const GLOSSARY_WORDS_MAX = 40;

const documents = ['.', 'docs', 'docs/rules', 'actors', 'gateway'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => {
      const path = join(folder, name);
      return { path, text: readFileSync(join(ROOT, path), 'utf8') };
    }),
);

/** Repository paths of every file that a document may name, and of every folder above one, with `/` around each. */
const files = ['actors', 'gateway', 'tests', 'proto', 'scripts', 'docs', 'bin', 'deploy'].flatMap(listed);
const named = new Set<string>();
for (const file of [...files, ...readdirSync(ROOT)]) {
  const parts = file.split('/');
  for (let end = 1; end <= parts.length; end++) {
    for (let from = 0; from < end; from++) named.add(parts.slice(from, end).join('/'));
  }
}

function listed(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listed(path) : [path];
  });
}

/** The words in backticks, outside code blocks. */
function quoted(text: string): string[] {
  return [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
}

/** The anchor of a heading. */
function anchors(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replace(/ /g, '-'),
    ),
  );
}

test('every relative link leads to a file, and every anchor to a heading', () => {
  const wrong: string[] = [];
  let links = 0;
  for (const { path, text } of documents) {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      links++;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, target))) wrong.push(`${path}: ${link}`);
      else if (anchor !== undefined && !anchors(readFileSync(join(ROOT, target), 'utf8')).has(anchor))
        wrong.push(`${path}: ${link} names no heading`);
    }
  }
  assert.ok(links > 20);
  assert.equal(wrong, []);
});

test('every source file and folder that a document names exists', () => {
  const wrong: string[] = [];
  let paths = 0;
  for (const { path, text } of documents) {
    for (const word of quoted(text)) {
      if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(word)) continue;
      const trimmed = word.replace(/\/$/, '');
      const first = trimmed.split('/')[0] as string;
      // A file that the page tells its reader to write.
      const isPasted = text.includes(`\`node ${word}\``);
      const isSource = /\.(ts|mjs|proto)$/.test(word) && !word.startsWith('.') && !isPasted;
      // A start in this folder has made `data` and a build `dist`, which hold no source.
      if (first === 'data' || first === 'dist' || (!isSource && !(trimmed.includes('/') && named.has(first)))) continue;
      paths++;
      if (!named.has(trimmed) && !named.has(`${trimmed}.ts`)) wrong.push(`${path}: ${word}`);
    }
  }
  assert.ok(paths > 100);
  assert.equal(wrong, []);
});

test('every npm script that a document names is declared', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const wrong = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run ([\w-]+)/g)]
      .filter(([, script = '']) => !(script in scripts))
      .map(([, script]) => `${path}: npm run ${script}`),
  );
  assert.equal(wrong, []);
});

const commands = await commandsByName();

test('every troupe command that a document names is a command', () => {
  const groups = new Set([...commands.keys()].flatMap((name) => [name, name.replace(/ [^ ]+$/, '')]));
  const used = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpx troupe ([a-z][a-z-]*)(?: ([a-z][a-z-]*)\b)?/g)].map(([, first = '', second = '']) => ({
      path,
      first,
      name: `${first} ${second}`.trim(),
    })),
  );
  const wrong = used.filter(({ first, name }) => !commands.has(first) && !groups.has(name));
  assert.ok(used.length > 20);
  assert.equal(wrong, []);
});

test('the page of commands lists every command and no other, with the description that --help prints', () => {
  const page = documents.find(({ path }) => path === COMMANDS_PAGE)?.text ?? '';
  const subjects = subjectsOf(page);
  assert.equal([...subjects].sort(), [...new Set([...commands.keys()].map((name) => name.split(' ')[0]))].sort());
  assert.is(page, withTables(page, commands), 'run node tests/support/commands-page.ts');
});

test('the page of metrics lists every metric of a node and no other (rule N42)', () => {
  const page = documents.find(({ path }) => path === 'docs/metrics.md')?.text ?? '';
  const listedThere = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => quoted(cell));
  const metrics = walk('gateway/operator/metrics').flatMap((path) =>
    [...read(path).text.matchAll(/'(troupe_\w+)'/g)].map(([, name = '']) => name),
  );
  assert.ok(metrics.length > 40);
  assert.equal(listedThere.toSorted(), [...new Set(metrics)].toSorted());
});

test('the layers of CONTRIBUTING are those that the house rules hold', () => {
  const text = documents.find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? '';
  const row = (layers: readonly (readonly [string, ...string[]])[]): string =>
    layers
      .map(([, ...names]) => names)
      .map((names) =>
        names.includes('account') ? 'one folder per kind' : names.map((name) => `\`${name}\``).join(', '),
      )
      .join(' < ');
  const rows = [`| runtime (\`actors/runtime/\`) | ${row(RUNTIME)} |`, `| actors | ${row(ACTORS)} |`];
  for (const line of [...rows, `| gateway | ${row(GATEWAY)} |`]) assert.ok(text.includes(line), `write ${line}`);
});

test('each table of promises in actors/README names the tests that hold it', () => {
  const readme = documents.find(({ path }) => path === 'actors/README.md')?.text ?? '';
  const tables = [...readme.matchAll(/^\|.*\| +Held by +\|$\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows);
  assert.is(tables.length, 3);
  const cells = tables.flatMap((rows) => rows.split('\n').slice(1, -1)).map((line) => line.split('|').at(-2) ?? '');
  const wrong = cells.filter((cell) => {
    const tests = quoted(cell);
    return (
      tests.length === 0 ||
      !tests.every((name) => files.some((file) => file.startsWith('tests/') && file.endsWith(`/${name}`)))
    );
  });
  assert.ok(cells.length > 15);
  assert.equal(wrong, []);
});

test('editors and the formatter agree', () => {
  const editor = readFileSync(join(ROOT, '.editorconfig'), 'utf8');
  const { formatter } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as {
    readonly formatter: { readonly indentStyle: string; readonly indentWidth: number; readonly lineWidth: number };
  };
  const values = Object.fromEntries([...editor.matchAll(/^(\w+) = (\S+)$/gm)].map(([, name, value]) => [name, value]));
  assert.equal(
    [values.indent_style, Number(values.indent_size), Number(values.max_line_length)],
    [formatter.indentStyle, formatter.indentWidth, formatter.lineWidth],
  );
});

test('the glossary of the actor runtime has at most 40 words, and the code uses each of them', () => {
  const readme = documents.find(({ path }) => path === 'actors/README.md')?.text ?? '';
  const [, table = ''] = /## Glossary\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const words = [...table.matchAll(/^\| ([a-z][a-z, -]*?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  assert.ok(words.length > 30);
  assert.ok(words.length <= GLOSSARY_WORDS_MAX, `${words.length} words`);
  assert.equal(new Set(words).size, words.length);
  const code = walk('actors')
    .map((path) => read(path).text.toLowerCase())
    .join('\n');
  // `Row cache`, `RowCache` and `row-cache.ts` are one word.
  const joined = code.replace(/[-\s/*]+/g, '');
  const isUsed = (word: string): boolean =>
    /[- ]/.test(word) ? joined.includes(word.replace(/[- ]/g, '')) : new RegExp(`\\b${word}`).test(code);
  const unused = words.filter((word) => !isUsed(word));
  assert.equal(unused, []);
});

test.run();
