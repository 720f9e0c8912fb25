/** Checks what the documents say of the API and of the machines behind it against the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchMachine } from '../actors/batch/batch.machine.ts';
import { ERROR_TYPES } from '../actors/terms/refusal.ts';
import { videoJobMachine } from '../actors/video-job/video-job.machine.ts';
import { OPERATIONS } from '../gateway/api/api-routes.ts';
import { ERRORS } from '../gateway/dialects/reply/error-table.ts';
import { ROOT, read, walk } from './support/sources.ts';

const document = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Refusals whose status is an argument of the function that makes them. */
const BY_ARGUMENT = ['invalid_request 426'];

/** `error_type status` of every refusal that the sources write down. */
function refusals(): Set<string> {
  const pair = /status: (\d{3}),\s+type: '(\w+)'|(?:\[|refuse\()(\d{3}), '(\w+)'/g;
  const sources = [...walk('actors'), ...walk('gateway')].filter((path) => !path.includes('/simulator/'));
  const all = sources.flatMap((path) =>
    [...read(path).text.matchAll(pair)].map(([, one, type, other, kind]) => `${type ?? kind} ${one ?? other}`),
  );
  return new Set(
    [...all, ...BY_ARGUMENT].filter((each) => (ERROR_TYPES as readonly string[]).includes(each.split(' ')[0] ?? '')),
  );
}

test('the table of errors has every error type, and exactly the statuses that it is answered with (rule E1)', () => {
  assert.equal(Object.keys(ERRORS).sort(), [...ERROR_TYPES].sort());
  const listed = Object.entries(ERRORS).flatMap(([type, { statuses }]) =>
    statuses.map((status) => `${type} ${status}`),
  );
  assert.equal(listed.sort(), [...refusals()].sort());
});

test('the page of the API has the table of errors (rule E5)', () => {
  const rows = Object.entries(ERRORS).map(
    ([type, { statuses, meaning, repeat }]) => `| \`${type}\` | ${statuses.join(', ')} | ${meaning} | ${repeat} |`,
  );
  assert.equal(document('docs/api.md').match(/^\| `\w+` \| [\d, ]+ \| .+ \| .+ \|$/gm), rows);
});

/** A path of the API with its parameters filled in is the same route. */
function isRoute(method: string, path: string): boolean {
  return Object.keys(OPERATIONS).some((route) => {
    const [verb = '', address = ''] = route.split(' ');
    return verb === method && new RegExp(`^(/api/v1)?${address.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  });
}

/** Pages about the operator's port, which has routes of its own: another test holds them. */
const ON_OPERATOR_PORT: ReadonlySet<string> = new Set(['operate.md', 'operator-api.md', 'history.md', 'console.md']);

test('every example for curl, and every route in the tables of the documents, exists', () => {
  const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && !ON_OPERATOR_PORT.has(name));
  const pages = ['README.md', ...names.map((name) => `docs/${name}`)];
  const used = pages.flatMap((page) => {
    const text = document(page);
    const examples = [...text.matchAll(/curl[^\n]*?"\$\w*BASE_URL(\/[^"?]*)[^"]*"((?:[^\n]*\\\n)*[^\n]*)/g)].map(
      ([, path = '', rest = '']) => ({ page, method: / -d /.test(rest) ? 'POST' : 'GET', path }),
    );
    const quoted = [...text.matchAll(/`(GET|POST|PATCH|DELETE) (\/[\w/{}-]+)[?`]/g)].map(
      ([, method = '', path = '']) => ({ page, method, path }),
    );
    return [...examples, ...quoted];
  });
  assert.ok(used.filter(({ page }) => page === 'docs/api.md').length >= 7);
  assert.equal(
    used.filter(({ method, path }) => !isRoute(method, path)),
    [],
  );
});

interface Chart {
  readonly states: Readonly<
    Record<
      string,
      { readonly transitions: Map<string, readonly { readonly target?: readonly { readonly key: string }[] }[]> }
    >
  >;
}

/** The changes of state that a chart can make. */
function changesOf(chart: unknown): string[] {
  const changes = new Set<string>();
  for (const [from, { transitions }] of Object.entries((chart as Chart).states)) {
    for (const { target = [] } of [...transitions.values()].flat()) {
      for (const { key } of target) if (key !== from) changes.add(`${from} --> ${key}`);
    }
  }
  return [...changes].sort();
}

/** The changes of state that the picture of a document shows. */
function drawn(path: string): string[] {
  const [, picture = ''] = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(document(path)) ?? [];
  return [...picture.matchAll(/^ {2}(\w+ --> \w+): \S/gm)].map(([, change = '']) => change).sort();
}

test('the pictures of a batch and of a video job show the states and changes of their machines', () => {
  assert.ok(changesOf(batchMachine).length > 10);
  assert.equal(drawn('docs/batches.md'), changesOf(batchMachine));
  assert.equal(drawn('docs/videos.md'), changesOf(videoJobMachine));
});

test.run();
