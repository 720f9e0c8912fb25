import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { chatRequest } from '../../../../gateway/dialects/chat/request-schema.ts';
import { parse as parseCompletion } from '../../../../gateway/dialects/completions/parse.ts';
import { completionRequest } from '../../../../gateway/dialects/completions/request-schema.ts';
import { parse as parseEmbeddings } from '../../../../gateway/dialects/embeddings/parse.ts';
import { embeddingsRequest } from '../../../../gateway/dialects/embeddings/request-schema.ts';
import { parse as parseImages } from '../../../../gateway/dialects/images/parse.ts';
import { imagesRequest } from '../../../../gateway/dialects/images/request-schema.ts';
import { parse as parseMessages } from '../../../../gateway/dialects/messages/parse.ts';
import { messagesRequest } from '../../../../gateway/dialects/messages/request-schema.ts';
import { parse as parseResponses } from '../../../../gateway/dialects/responses/parse.ts';
import { responsesRequest } from '../../../../gateway/dialects/responses/request-schema.ts';
import type { SchemaNode } from '../../../../gateway/json/schema-violations.ts';
import { bounded } from '../../../support/bounded.ts';
import { CHAT, COMPLETION, EMBEDDINGS, IMAGES, MESSAGES, RESPONSES } from './whole-requests.ts';

/**
 * Sets every optional member of a request, at every depth of its schema, to null once, and compares with the request
 * that leaves it out. (rule I1)
 */
const it = bounded(test);

type Path = readonly (string | number)[];

/** Optional members of an object, entries of a map, and those nested in them, as far as the sample has them. */
function optionalPaths(schema: SchemaNode, value: unknown, path: Path = []): Path[] {
  if (schema.anyOf) {
    const variants = schema.anyOf.filter((each) => each.type !== 'null' && Check(each, value));
    return variants.flatMap((each) => optionalPaths(each, value, path));
  }
  if (Array.isArray(value))
    return value.flatMap((entry, at) => optionalPaths(schema.items ?? {}, entry, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  const held = value as Readonly<Record<string, unknown>>;
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const below = held[name] == null ? [] : optionalPaths(member, held[name], [...path, name]);
    return schema.required?.includes(name) ? below : [[...path, name], ...below];
  });
  const [entry] = Object.values(schema.patternProperties ?? {});
  if (!entry?.anyOf?.some((each) => each.type === 'null')) return named;
  return named.concat(Object.keys(held).map((name) => [...path, name]));
}

function outcome(parse: (body: unknown) => unknown, body: unknown): string {
  try {
    return JSON.stringify(parse(body));
  } catch (error) {
    return String(error);
  }
}

/** The sample with the member at `path` set to null, or left out. */
function changed(sample: object, path: Path, change: 'null' | 'absent'): unknown {
  const copy = structuredClone(sample) as Record<string | number, unknown>;
  let parent = copy;
  for (const segment of path.slice(0, -1)) parent = parent[segment] as Record<string | number, unknown>;
  const last = path.at(-1) as string;
  if (change === 'null') parent[last] = null;
  else delete parent[last];
  return copy;
}

const DIALECTS = [
  ['chat completions', chatRequest, CHAT, parseChat, 90],
  ['text completions', completionRequest, COMPLETION, parseCompletion, 40],
  ['images', imagesRequest, IMAGES, parseImages, 30],
  ['embeddings', embeddingsRequest, EMBEDDINGS, (body: unknown) => parseEmbeddings(body, null), 30],
  ['messages', messagesRequest, MESSAGES, parseMessages, 55],
  ['responses', responsesRequest, RESPONSES, (body: unknown) => parseResponses(body).turn, 65],
] as const;

for (const [dialect, schema, sample, parse, pathsMin] of DIALECTS) {
  it(`${dialect}: null at an optional member of any depth counts as absent (rule I1)`, () => {
    assert.ok(Check(schema, sample));
    const paths = optionalPaths(schema as SchemaNode, sample).filter(
      (path) => !path.includes('reasoning_details') || path.length < 4,
    );
    assert.ok(paths.length >= pathsMin, `${paths.length} optional members were found`);
    for (const path of paths) {
      const absent = outcome(parse, changed(sample, path, 'absent'));
      assert.is(outcome(parse, changed(sample, path, 'null')), absent, path.join('.'));
      assert.not.match(absent, /TypeError/);
    }
  });

  it(`${dialect}: every member of the schema is in the sample`, () => {
    assert.equal(Object.keys(sample).sort(), Object.keys(schema.properties).sort());
  });
}

it('null is kept inside members that belong to the client (rule I1)', () => {
  const parameters = { type: 'object', default: null, properties: { a: { enum: [null, 1] } } };
  const json_schema = { name: 'n', schema: { const: null } };
  const metadata = { a: null, b: [null, { c: null }] };
  const options = { p: { b: { c: null } } };
  const details = [{ type: 'reasoning.text', text: 'x', signature: null, format: null }];
  const turn = parseChat({
    model: 'a/b',
    messages: [{ role: 'assistant', reasoning_details: details }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    response_format: { type: 'json_schema', json_schema: { ...json_schema, description: null } },
    metadata,
    provider: { options: { p: { ...options.p, a: null } } },
  });
  assert.equal(turn.tools, [{ name: 'f', parameters }]);
  assert.equal(turn.responseFormat, { type: 'json_schema', json_schema });
  assert.equal(turn.metadata, metadata);
  assert.equal(turn.preferences.options, options);
  assert.equal(turn.messages, [{ role: 'assistant', text: null, reasoningDetails: details }]);
});

test.run();
