/** What real providers answer to requests that they refuse, and what a caller learns of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chatRequest } from '../../../gateway/dialects/chat/request-schema.ts';
import { completionReplyDialect } from '../../../gateway/dialects/completions/completion-dialect.ts';
import { exhausted } from '../../../gateway/inference/exhausted.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { CALLER_PATHS, callerPath } from '../../../gateway/providers/refusal/caller-path.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { Candidate } from '../../../gateway/terms/plan.ts';
import { bounded } from '../../support/bounded.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { eventsOf } from './played.ts';
import { WORDINGS } from './refusal/wordings.ts';
import { OPERATORS, PROMPT, ROWS } from './refusal-rows.ts';
import { turnOf } from './scene.ts';
import { KEY, startUpstream } from './upstream.ts';

const it = bounded(test, 30_000);
async function failureOf(status: number, body: unknown, headers: object = {}): Promise<ProviderFailure> {
  const upstream = await startUpstream();
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const stream = text.startsWith('event:');
    const type = stream ? 'text/event-stream' : 'application/json';
    upstream.answer = (_, response) => {
      response.writeHead(status, { 'content-type': type, ...headers }).end(text);
    };
    await eventsOf(await upstream.openAs('chat', { stream }));
  } catch (thrown) {
    assert.instance(thrown, ProviderFailure);
    return thrown as ProviderFailure;
  } finally {
    await upstream.close();
  }
  throw new Error('it did not fail');
}

function told(failures: readonly ProviderFailure[]): GatewayError {
  const turn = turnOf();
  const candidate = { endpoint: endpointOf(), messages: turn.messages } as unknown as Candidate;
  const trial = { turn, plan: { candidates: [], rejections: [] } };
  return exhausted(
    failures.map((failure) => ({ candidate, failure })),
    trial,
  );
}

for (const { from, status, body, told: expected } of ROWS) {
  it(`a refusal is told by code and path: ${from} (rule I138)`, async () => {
    const failure = await failureOf(status, body);
    const error = told([failure]);
    const { provider_code, param } = error.metadata;
    assert.equal([error.status, error.type, provider_code, param], [...expected, ...Array(4 - expected.length)]);
    assert.is(error.headers['x-should-retry'], 'false');
    assert.equal([failure.repeatable, failure.counted], [false, false]);
    for (const text of [error.message, error.detail, JSON.stringify(error.metadata), failure.message, failure.stack]) {
      assert.not.ok(text?.includes(PROMPT) || text?.includes(KEY), text ?? '');
    }
  });
}

for (const { from, status, body, told: expected, category, sizes, ...more } of WORDINGS) {
  it(`the words of a provider mean what they mean: ${from} (rule I138)`, async () => {
    const failure = await failureOf(status, body);
    const error = told([failure]);
    assert.equal([error.status, error.type, failure.category], [...expected, category], failure.message);
    assert.equal([failure.repeatable, failure.counted], [more.repeatable, more.counted]);
    assert.equal(failure.refusal?.sizes, sizes);
    const shown = `${error.message} ${JSON.stringify(error.metadata)} ${failure.message}`;
    const numbers = new Set(Object.values(sizes ?? {}));
    for (const [digits] of shown.matchAll(/\d{4,}/g)) assert.ok(numbers.has(Number(digits)), `${digits} in ${shown}`);
  });
}

it('the wait is read in each form that providers use, and nothing else is one', async () => {
  const date = new Date(1_800_000_000_000).toUTCString();
  const google = { error: { code: 429, details: [{ '@type': 'x/google.rpc.RetryInfo', retryDelay: '36.5s' }] } };
  for (const [headers, body, afterMs] of [
    [{ 'retry-after': '60' }, {}, 60_000],
    [{ 'retry-after': '1.5' }, {}, 1_500],
    [{ 'retry-after': new Date(1_800_000_007_000).toUTCString(), date }, {}, 7_000],
    [{ 'retry-after': new Date(1_700_000_000_000).toUTCString(), date }, {}, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, {}, 250],
    [{}, google, 36_500],
    [{ 'retry-after': '2' }, google, 2_000],
    [{ 'retry-after': 'soon' }, { error: { details: [{ retryDelay: '1m' }] } }, null],
    [{}, {}, null],
  ] as const) {
    const { reason, retryAfterMs } = await failureOf(429, body, headers);
    assert.equal([reason, retryAfterMs], ['overloaded', afterMs], JSON.stringify([headers, body]));
  }
});

for (const [from, status, body] of OPERATORS) {
  it(`a refusal that is the operator's affair is a 502 of the caller: ${from}`, async () => {
    const failure = await failureOf(status, body);
    assert.is(failure.reason, 'misconfigured');
    assert.is(told([failure]).status, 502);
  });
}

it('the words of a 403 are awaited, since they decide whose fault it is; those of a 429 for a moment', async () => {
  const upstream = await startUpstream();
  for (const [status, error, reason] of [
    [403, { message: 'your input was flagged' }, 'rejected'],
    [429, { code: 'insufficient_quota' }, 'overloaded'],
  ] as const) {
    const text = JSON.stringify({ error });
    upstream.answer = (_, response) => {
      response.writeHead(status).write(text.slice(0, 9));
      setTimeout(() => response.end(text.slice(9)), 600);
    };
    const failure = await upstream.openAs('chat', {}, {}, () => {}).catch((thrown: ProviderFailure) => thrown);
    assert.is((failure as ProviderFailure).reason, reason, `status ${status}`);
  }
  await upstream.close();
});

it('an error inside a 200 is told in the same way, with and without a status', async () => {
  for (const { from, status, body, told: expected } of ROWS) {
    if (status === 500) continue;
    const { error } = (Array.isArray(body) ? body[0] : body) as { readonly error?: object };
    if (error === undefined) continue;
    const upstream = await startUpstream();
    try {
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      };
      const failure = await eventsOf(await upstream.openAs('chat')).then(
        () => null,
        (thrown: ProviderFailure) => thrown,
      );
      assert.ok(failure?.refusal, from);
      assert.is(failure.refusal.code, expected[2], from);
    } finally {
      await upstream.close();
    }
  }
});

it('of several refusals the first that explains anything is told, and one failure of another kind leaves the 502 (rule I139)', () => {
  const plain = new ProviderFailure('rejected', 'status 400', 400);
  const schema = new ProviderFailure('rejected', 'status 400', 400, { code: 'invalid_schema', param: 'tools[0]' });
  const both = told([plain, schema]);
  assert.is(both.metadata.provider_code, 'invalid_schema');
  assert.match(both.message, /^Each of the 2 endpoints tried refused this request: tools\[0\] is not a schema/);
  const [first, second] = both.metadata.previous_errors as readonly Record<string, unknown>[];
  assert.equal([first?.code, second?.code, second?.param], ['invalid_request', 'invalid_schema', 'tools[0]']);
  const mixed = told([schema, new ProviderFailure('unavailable', 'status 500', 500)]);
  assert.is(mixed.status, 502);
  assert.is(mixed.headers['x-should-retry'], undefined);
});

it('indexes of messages are told only where no message was dropped', () => {
  const failure = new ProviderFailure('rejected', '', 400, { code: 'invalid_parameter', param: 'messages[3].name' });
  const turn = turnOf();
  const candidate = { endpoint: endpointOf(), messages: turn.messages.slice(1) } as unknown as Candidate;
  const error = exhausted([{ candidate, failure }], { turn, plan: { candidates: [], rejections: [] } });
  assert.is(error.metadata.param, 'messages');
});

it('a text completion is told the path of its own request, or none', () => {
  const turn = turnOf();
  const candidate = { endpoint: endpointOf(), messages: turn.messages } as unknown as Candidate;
  const paramOf = (param: string): unknown => {
    const failure = new ProviderFailure('rejected', '', 400, { code: 'invalid_parameter', param });
    const trial = { turn, plan: { candidates: [], rejections: [] }, reply: completionReplyDialect(null) };
    const { metadata } = exhausted([{ candidate, failure }], trial);
    const [previous] = metadata.previous_errors as readonly Record<string, unknown>[];
    assert.is(previous?.param, metadata.param);
    return metadata.param;
  };
  assert.is(paramOf('messages[0].content[1].text'), 'prompt');
  assert.is(paramOf('temperature'), 'temperature');
  assert.is(paramOf('top_logprobs'), 'logprobs');
  assert.is(paramOf('tools[0].function.name'), undefined);
});

/** The schemas below a member of a schema. */
function below(schema: Record<string, unknown>, name: string): readonly Record<string, unknown>[] {
  const { anyOf, items, properties } = schema as Record<string, Record<string, unknown>> & { anyOf?: unknown[] };
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => below(each as Record<string, unknown>, name));
  const found = name === '' ? items : properties?.[name];
  return found === undefined ? [] : [found as Record<string, unknown>];
}

it('every path that can be shown is a path of the chat request', () => {
  for (const path of CALLER_PATHS) {
    let schemas: readonly Record<string, unknown>[] = [chatRequest as unknown as Record<string, unknown>];
    for (const name of path.replaceAll('[]', '.').split('.')) schemas = schemas.flatMap((each) => below(each, name));
    assert.ok(schemas.length > 0, path);
    assert.is(callerPath(path.replaceAll('[]', '[2]')), path.replaceAll('[]', '[2]'));
  }
});

it('a path shows nothing but known names and indexes', () => {
  for (const [named, shown] of [
    [PROMPT, undefined],
    ['', undefined],
    [`messages[0].${PROMPT}`, 'messages[0]'],
    [`tools[1].function.parameters.properties.${PROMPT}`, 'tools[1].function.parameters'],
    [`messages[${'9'.repeat(12)}].name`, 'messages'],
    ['__proto__', undefined],
    ['messages.constructor', 'messages'],
    [`temperature${'x'.repeat(500)}`, undefined],
    ['response_format.json_schema.schema', 'response_format.json_schema'],
    [`input[3].content[0].${PROMPT}`, 'messages'],
    ['input[0]', undefined],
    [`tools[1].parameters.properties.${PROMPT}`, 'tools[1].function.parameters'],
    ['max_output_tokens', 'max_tokens'],
    ['safety_identifier', 'user'],
  ] as const) {
    assert.is(callerPath(named), shown, named.slice(0, 80));
  }
});

test.run();
