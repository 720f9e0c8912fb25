import * as fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
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
import { validationError } from '../../../../gateway/dialects/request/validation-error.ts';
import { parse as parseResponses } from '../../../../gateway/dialects/responses/parse.ts';
import { responsesRequest } from '../../../../gateway/dialects/responses/request-schema.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { CHAT, COMPLETION, EMBEDDINGS, IMAGES, MESSAGES, RESPONSES } from './whole-requests.ts';

/** rule E10. */
const it = bounded(test);
const NOTHING_FOUND = 'The request body does not have the expected shape';

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, held]) => pathsOf(held, [...path, name]))];
}

/** A copy of the sample with another value at one path, or with an additional member. */
function damaged(sample: unknown, path: Path, put: unknown): unknown {
  if (path.length === 0) return put;
  const copy = structuredClone(sample) as Record<string | number, unknown>;
  let parent = copy;
  for (const segment of path.slice(0, -1)) parent = parent[segment] as Record<string | number, unknown>;
  Object.defineProperty(parent, path.at(-1) as string, { value: put, enumerable: true, configurable: true });
  return copy;
}

const GARBAGE = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 0.5, 1e300, '', 'x', 'none', 'image', [], [null], {}, { type: 'text' }),
  fc.constantFrom('data:image/png;base64,AAA', 'javascript:x', 'x'.repeat(300), Array(2_000).fill('x')),
  fc.constant(JSON.parse('{"__proto__":{"type":"text"},"constructor":1,"toString":[]}')),
  fc.jsonValue({ maxDepth: 3 }),
);

/** With the damaged bodies of each. */
const DIALECTS: readonly (readonly [string, TSchema, object, (body: unknown) => unknown, number])[] = [
  ['chat completions', chatRequest, CHAT, parseChat, 4_000],
  ['text completions', completionRequest, COMPLETION, parseCompletion, 4_000],
  ['images', imagesRequest, IMAGES, parseImages, 300],
  ['embeddings', embeddingsRequest, EMBEDDINGS, (body) => parseEmbeddings(body, null), 4_000],
  ['messages', messagesRequest, MESSAGES, parseMessages, 300],
  ['responses', responsesRequest, RESPONSES, parseResponses, 300],
];

for (const [dialect, schema, sample, parse, runs] of DIALECTS) {
  const check = Compile(schema);
  const paths = pathsOf(sample);

  it(`${dialect}: every body that the check refuses has a validation error that names a member, and no other has one (rule E10)`, () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...paths), GARBAGE, (path, put) => {
        const body = damaged(sample, path, put);
        const error = validationError(schema, body);
        const valid = check.Check(body);
        assert.is(error === NOTHING_FOUND, valid, `${path.join('.')} ${error}`);
        if (!valid) refused++;
        if (!valid && path.length > 0) {
          // The error names the damaged path, or the value put there.
          assert.ok(error.startsWith(String(path[0])), `${path.join('.')}: ${error}`);
        }
      }),
      { numRuns: runs },
    );
    assert.ok(refused > runs / 4);
  });

  it(`${dialect}: a damaged request gives a turn or a refusal, never an internal error (rule E10)`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), GARBAGE, (path, put) => {
        try {
          parse(damaged(sample, path, put));
        } catch (error) {
          assert.instance(error, GatewayError, `${path.join('.')} ${String(error)}`);
          assert.ok([400, 404].includes((error as GatewayError).status));
          assert.ok((error as GatewayError).message.length <= 600);
        }
      }),
      { numRuns: runs },
    );
    assert.is(({} as { type?: unknown }).type, undefined);
  });
}

it('a violation at the end of a long list is found without checking every variant of every entry (rule E10)', () => {
  let reads = 0;
  const watched = new Proxy(
    { type: 'text', text: 'x' },
    {
      get(held, name) {
        reads++;
        return Reflect.get(held, name);
      },
    },
  );
  const texts = Array.from({ length: 19_999 }, () => ({ type: 'text', text: 'x' }));
  const body = { model: 'a/b', messages: [{ role: 'user', content: [watched, ...texts, { type: 'smell' }] }] };
  assert.match(
    validationError(chatRequest, body),
    /^messages\[0\]\.content\[20000\]\.type must be one of "text", .*, not "smell"$/,
  );
  assert.ok(reads <= 4, `${reads} reads of one part`);
});

it('a member is named in full up to a bound', () => {
  const deep = { model: 'a/b', messages: [{ role: 'user', content: 'x' }], logit_bias: { ['k'.repeat(1_000)]: 'x' } };
  const error = validationError(chatRequest, deep);
  assert.ok(error.startsWith(`logit_bias.${'k'.repeat(100)}`));
  assert.ok(error.length < 260);
});

test.run();
