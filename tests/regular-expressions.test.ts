/**
 * No text makes a regular expression of the product slow. Each expression runs over texts that nearly match it, with a
 * part repeated thousands of times, which exposes backtracking. (rule E37, rule E36)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { documentSchema } from '../gateway/catalogue/document/document-schema.ts';
import { chatRequest } from '../gateway/dialects/chat/request-schema.ts';
import { completionRequest } from '../gateway/dialects/completions/request-schema.ts';
import { embeddingsRequest } from '../gateway/dialects/embeddings/request-schema.ts';
import { imagesRequest } from '../gateway/dialects/images/request-schema.ts';
import { messagesRequest } from '../gateway/dialects/messages/request-schema.ts';
import { responsesRequest } from '../gateway/dialects/responses/request-schema.ts';
import { configSchema } from '../gateway/operator/config/schema.ts';
import { bounded } from './support/bounded.ts';
import { regularExpressions, type Written } from './support/regular-expressions.ts';

const it = bounded(test, 120_000);
const ROOT = resolve(import.meta.dirname ?? '.', '..');
const SEED = Number(process.env.TROUPE_SEED ?? 63);
/** A linear expression reads this in a millisecond; a quadratic one takes many seconds, an exponential one never ends. */
const CHARACTERS = 60_000;
/** Time limit for all texts of one expression: a thousand times their normal duration. */
const PATIENCE_MS = 15_000;
const SAMPLES = 6;
const CUTS = 3;
const AT_ONCE = 4;

/** Expressions with more than linear time, and the maximum length of their input. */
const BOUNDED_ELSEWHERE: Readonly<Record<string, number>> = {
  // The path of a provider's base address: written by the operator, in the configuration.
  '\\/+$': 2_048,
  // Digits after the point of a decimal, limited to this many.
  '0+$': 256,
  // The start message of a simulator of the demo, which is a process of ours.
  '^\\{.*"port":\\s*(\\d+).*\\}\\s*$': 1_024,
};

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sourcesIn(path) : path.endsWith('.ts') ? [path] : [];
  });
}

const SOURCES = ['actors', 'gateway']
  .flatMap(sourcesIn)
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** The patterns of a schema, which its check compiles, including the patterns of member names. */
function patternsIn(schema: unknown): Written[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, patternProperties } = schema as { pattern?: unknown; patternProperties?: object };
  const own = [...(typeof pattern === 'string' ? [pattern] : []), ...Object.keys(patternProperties ?? {})];
  return [...own.map((source) => ({ source, flags: '' })), ...Object.values(schema).flatMap(patternsIn)];
}

function allExpressions(): readonly Written[] {
  const literals = SOURCES.flatMap(({ text }) => regularExpressions(text));
  const patterns = [
    chatRequest,
    completionRequest,
    imagesRequest,
    embeddingsRequest,
    messagesRequest,
    responsesRequest,
    documentSchema,
    configSchema,
  ].flatMap(patternsIn);
  const each = new Map([...literals, ...patterns].map((written) => [`/${written.source}/${written.flags}`, written]));
  return [...each.values()];
}

/** Texts that match except for their end, with one part repeated; and runs of the expression's own characters. */
function hostileTexts({ source, flags }: Written): readonly string[] {
  const charactersMax = BOUNDED_ELSEWHERE[source] ?? CHARACTERS;
  const texts: string[] = [];
  const parts = new Set([...source, 'a', '0', ' ', '\n', '\u00e9'].map((part) => part.repeat(charactersMax)));
  for (const run of parts) texts.push(run, `${run}\u0000`);
  for (const text of samplesOf({ source, flags })) {
    for (let cut = 0; cut < CUTS; cut++) {
      const from = Math.floor((text.length * cut) / CUTS);
      for (const length of [1, 2, text.length - from]) {
        const pumped = text.slice(from, from + length).repeat(Math.ceil(charactersMax / Math.max(1, length)));
        texts.push(`${text.slice(0, from)}${pumped.slice(0, charactersMax)}\u0000`);
      }
    }
  }
  return texts;
}

/** Matching texts; none if the generator does not support a construct, so that only the runs of characters test it. */
function samplesOf({ source, flags }: Written): readonly string[] {
  try {
    // The generator searches endlessly for the complement of a class, so any letter replaces it here.
    const like = source.replace(/\[\^(?:[^\]\\]|\\.)*\]/g, 'a').replace(/\\p\{\w+\}/g, 'a');
    const matching = fc.stringMatching(new RegExp(like, flags.replace(/[giu]/g, '')));
    return fc.sample(matching, { numRuns: SAMPLES, seed: SEED }).map((text) => text.slice(0, 200));
  } catch {
    return [];
  }
}

/** Runs on its own thread, so that it can be terminated. */
const RUN = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ source, flags, texts }) => {
    const expression = new RegExp(source, flags);
    for (const text of texts) text.replace(expression, '');
    parentPort.postMessage('done');
  });
`;

/** A thread that runs one expression at a time. It ends with the first that is too slow. */
class ExpressionThread {
  readonly #worker = new Worker(RUN, { eval: true });

  /** False if the expression was still running at the time limit; the thread has ended then. */
  endsInTime(written: Written, texts = hostileTexts(written), patienceMs = PATIENCE_MS): Promise<boolean> {
    return new Promise((done, failed) => {
      const worker = this.#worker;
      const late = setTimeout(() => void worker.terminate().then(() => done(false)), patienceMs);
      worker.once('error', failed);
      worker.once('message', () => {
        clearTimeout(late);
        worker.off('error', failed);
        done(true);
      });
      worker.postMessage({ ...written, texts });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

it('finds the expressions of a source, and ignores divisions, comments and strings', () => {
  const text = [
    'const a = b / c / d; // not /this/ either',
    "/* nor /that/ */ const e = 'nor /those/ \\' here';",
    'const f = /[/"]\\/x/giu.exec(`no /x/ @{g.replace(/y{1,2}/, `@{h / 2}`)} nor /z/ here`);',
    'if (i) return /z/; const j = (k + 1) / 2 / l;',
  ]
    .join('\n')
    .replaceAll('@', '$');
  assert.equal(
    regularExpressions(text).map(({ source, flags }) => `${source} ${flags}`),
    ['[/"]\\/x giu', 'y{1,2} ', 'z '],
  );
});

it('detects an expression that backtracks', async () => {
  const slow = ['^(a+)+$', '^(a|a)*$', '\\s*\\n', '(?:[a-z]+:)*[a-z:]*!'];
  const inTime = await Promise.all(
    slow.map((source) => new ExpressionThread().endsInTime({ source, flags: '' }, undefined, 500)),
  );
  assert.equal(inTime, [false, false, false, false]);
});

it('every expression of the product ends in time over every hostile text (rule E37)', async () => {
  const all = allExpressions();
  assert.ok(all.length > 60, `only ${all.length} were found`);
  const slow: string[] = [];
  const waiting = [...all];
  const work = async (): Promise<void> => {
    let thread = new ExpressionThread();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (await thread.endsInTime(next)) continue;
      slow.push(`/${next.source}/${next.flags}`);
      thread = new ExpressionThread();
    }
    await thread.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  assert.equal(slow, []);
  for (const source of Object.keys(BOUNDED_ELSEWHERE))
    assert.ok(
      all.some((written) => written.source === source),
      `${source} is no longer in use`,
    );
});

it('no expression is built from untrusted text (rule E36)', () => {
  const made = SOURCES.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ path }) => path);
  // The patterns of our own schemas, which are checked above.
  assert.equal(made, ['gateway/json/schema-violations.ts']);
});

test.run();
