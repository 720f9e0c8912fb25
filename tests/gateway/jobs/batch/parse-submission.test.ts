import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseInputLine, parseSubmission } from '../../../../gateway/jobs/batch/parse-submission.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const ENDPOINT = '/v1/chat/completions';
const one = { custom_id: 'a', body: { model: 'sim/fast' } };

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return `${thrown.status} ${thrown.message}`;
    throw thrown;
  }
  return 'accepted';
}

const submit = (members: object): string =>
  refusal(() => parseSubmission({ endpoint: ENDPOINT, requests: [one], ...members }));

it('accepts all three endpoints, defaults, and null for whatever may be left out', () => {
  for (const endpoint of [ENDPOINT, '/v1/responses', '/v1/messages']) assert.is(submit({ endpoint }), 'accepted');
  const nulls = { model: null, provider: null, completion_window: null, input_file_id: null, metadata: {} };
  assert.equal(parseSubmission({ endpoint: ENDPOINT, requests: [one], ...nulls }), {
    ...{ endpoint: ENDPOINT, model: null, provider: null },
    source: [{ customId: 'a', body: one.body }],
  });
  const provider = { only: ['sim-a'], allow_fallbacks: false };
  const parsed = parseSubmission({ endpoint: ENDPOINT, input_file_id: 'file_1', model: 'm', provider });
  assert.equal(parsed, { endpoint: ENDPOINT, model: 'm', provider, source: { fileId: 'file_1' } });
  const unset = { only: ['sim-a'], sort: null, zdr: null };
  const { provider: kept } = parseSubmission({ endpoint: ENDPOINT, requests: [one], provider: unset });
  assert.equal(kept?.only, ['sim-a'], 'a preference of null is as left out');
});

it('refuses an envelope with a 400 that names the member (rule B1)', () => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ endpoint: undefined }, /^400 endpoint is required/],
    [{ endpoint: null }, /^400 endpoint must be/],
    [{ endpoint: '/v1/completions' }, /^400 endpoint must be one of .*"\/v1\/messages".*not "\/v1\/completions"/],
    [{ endpoint: '/v1/embeddings' }, /^400 endpoint must be one of/],
    [{ requests: undefined }, /^400 requests is required/],
    [{ requests: null }, /^400 requests is required/],
    [{ requests: [] }, /^400 requests must have at least 1 item/],
    [{ requests: {} }, /^400 requests must be an array/],
    [
      { requests: Array.from({ length: 1_001 }, (_, at) => ({ ...one, custom_id: `${at}` })) },
      /^400 requests must have at most 1000 items/,
    ],
    [{ requests: [one, 'x'] }, /^400 requests\[1\] must be an object/],
    [{ requests: [one, { body: {} }] }, /^400 requests\[1\]\.custom_id is required/],
    [{ requests: [{ ...one, custom_id: 7 }] }, /^400 requests\[0\]\.custom_id must be a string/],
    [{ requests: [{ ...one, custom_id: '' }] }, /^400 requests\[0\]\.custom_id must have 1 to 128 printable/],
    [{ requests: [{ ...one, custom_id: 'x'.repeat(129) }] }, /^400 requests\[0\]\.custom_id must have 1 to 128/],
    [{ requests: [{ ...one, custom_id: 'a\nb' }] }, /^400 requests\[0\]\.custom_id must have 1 to 128 printable/],
    [{ requests: [{ ...one, custom_id: 'a\u2028b' }] }, /^400 requests\[0\]\.custom_id must have 1 to 128 printable/],
    [{ requests: [one, { ...one }] }, /^400 requests\[1\]\.custom_id repeats "a"/],
    [{ requests: [{ custom_id: 'a' }] }, /^400 requests\[0\]\.body is required/],
    [{ model: 7 }, /^400 model must be a string/],
    [{ model: '' }, /^400 model must not be empty/],
    [{ completion_window: '1h' }, /^400 completion_window must be one of "24h"|^400 completion_window must be "24h"/],
    [{ provider: 'sim-a' }, /^400 provider must be an object/],
    [{ provider: { only: 'sim-a' } }, /^400 provider\.only must be an array/],
    [{ provider: { zdr: true } }, /^400 provider\.zdr is not supported for a batch/],
    [{ provider: { order: [] } }, /^400 provider\.order is not supported for a batch/],
    [{ input_file_id: 'file_1' }, /^400 input_file_id must be absent where requests is given/],
    [{ requests: null, input_file_id: 7 }, /^400 input_file_id must be a string/],
  ];
  for (const [members, message] of cases) assert.match(submit(members), message);
  for (const value of [null, [], 'x', 7])
    assert.is(
      refusal(() => parseSubmission(value)),
      '400 The request body must be a JSON object',
    );
});

it('takes 1,000 requests, and names of 128 characters of any script, pairs of units included (rule B2)', () => {
  const requests = Array.from({ length: 1_000 }, (_, at) => ({ ...one, custom_id: `request ${at}` }));
  assert.is(submit({ requests }), 'accepted');
  for (const custom_id of ['x'.repeat(128), '😀'.repeat(128), 'запрос №1', '👩‍👩‍👧', '__proto__'])
    assert.is(submit({ requests: [{ ...one, custom_id }] }), 'accepted');
  assert.match(submit({ requests: [{ ...one, custom_id: '😀'.repeat(129) }] }), /1 to 128/);
});

it('a body that is no object is not judged here: it fails alone', () => {
  for (const body of [[], 'x', 7, false]) assert.is(submit({ requests: [{ ...one, body }] }), 'accepted');
});

it('a line of an input file belongs to the endpoint of the batch', () => {
  const line = (value: unknown): string => refusal(() => parseInputLine(value, 3, ENDPOINT));
  assert.is(line({ ...one, method: 'POST', url: ENDPOINT }), 'accepted');
  assert.is(line(one), 'accepted');
  assert.is(line({ ...one, url: '/v1/messages' }), `400 line 3 of the input file: url must be "${ENDPOINT}"`);
  assert.is(line({ ...one, method: 'GET' }), '400 line 3 of the input file: method must be "POST"');
  assert.is(line([]), '400 line 3 of the input file is not a JSON object');
  assert.is(line({ body: {} }), '400 line 3 of the input file: request.custom_id is required');
});

test.run();
