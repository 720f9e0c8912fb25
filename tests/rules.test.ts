/**
 * Holds docs/rules: every rule has a number of its own and a test, every citation names a rule, and no source and no
 * document cites what is not in the repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/sources.ts';

const FOLDERS = ['actors', 'gateway', 'tests', 'scripts', 'bin', 'proto', 'deploy', 'docs'];
const TEXTS = /\.(ts|mjs|js|md|proto|sql|css|ya?ml|json)$/;
const CITATION = /\brule ([A-Z]\d+)\b/g;
/** Documents outside of the repository, as they were cited once, and numbers of issues. */
const OUTSIDE = [
  /\bspec: (?:inference|catalogue|reliability|conventions|sight)/,
  /\breliability,? (?:[A-Z]\d|attacks? \d|decisions? \d)/,
  /\bconventions \d/,
  /\battacks? \d/i,
  /\bdecisions? \d+\b/,
  /\bRouting rules? \d/,
  /\brules? \d/,
  /\bissues? #?\d{1,2}\b/,
];

interface Text {
  readonly path: string;
  readonly text: string;
}

function textsOf(folder: string): Text[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return folder === '.' || path === 'tests/fixtures' ? [] : textsOf(path);
    return TEXTS.test(path) ? [{ path, text: readFileSync(join(ROOT, path), 'utf8') }] : [];
  });
}

const all = ['.', ...FOLDERS].flatMap(textsOf).filter(({ path }) => path !== 'package-lock.json');
const rules = all
  .filter(({ path }) => path.startsWith('docs/rules/'))
  .flatMap(({ path, text }) => [...text.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(([, rule = '']) => ({ path, rule })));
const known = new Set(rules.map(({ rule }) => rule));

/** A source without its comments, in which titles and the ids of the auditor's checks remain. */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/ .*$/gm, '$1');
}

function cited(text: string): string[] {
  return [...text.matchAll(CITATION)].map(([, rule = '']) => rule);
}

test('a rule has one number, and the rules of a letter stand in one document', () => {
  assert.ok(rules.length > 250);
  assert.is(known.size, rules.length);
  const documents = new Set(rules.map(({ path, rule }) => `${rule[0]} ${path}`));
  assert.is(documents.size, new Set(rules.map(({ rule }) => rule[0])).size);
});

test('every citation names a rule', () => {
  const wrong = all.flatMap(({ path, text }) =>
    cited(text)
      .filter((rule) => !known.has(rule))
      .map((rule) => `${path}: rule ${rule}`),
  );
  assert.equal(wrong, []);
});

test('every rule has a test that names it in its title, or as the id of a check', () => {
  const tests = all.filter(
    ({ path }) => path.startsWith('tests/') && path.endsWith('.ts') && path !== 'tests/rules.test.ts',
  );
  const held = new Set(tests.flatMap(({ text }) => cited(withoutComments(text))));
  assert.equal(
    [...known].filter((rule) => !held.has(rule)),
    [],
  );
});

test('neither a source nor a document cites what is not in the repository', () => {
  const wrong = all
    .filter(({ path }) => path !== 'tests/rules.test.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, i) =>
          OUTSIDE.some((pattern) => pattern.test(line)) ? [`${path}:${i + 1}: ${line.trim()}`] : [],
        ),
    );
  assert.equal(wrong, []);
});

test.run();
