import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import { chatRequest } from '../../../../gateway/dialects/chat/request-schema.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { FEATURE_ROWS } from './feature-rows.ts';
import { BASE, long, PLAIN } from './request-row.ts';
import { SAMPLING_ROWS } from './sampling-rows.ts';

/** Walks the table of the chat completion request row by row. (rule I13) */
const it = bounded(test);
const ROWS = { ...SAMPLING_ROWS, ...FEATURE_ROWS };

it('the table and the schema name the same members (rule I13)', () => {
  assert.equal(Object.keys(ROWS).sort(), Object.keys(chatRequest.properties).sort());
});

for (const [name, { accepts, refuses, required }] of Object.entries(ROWS)) {
  it(`${name}: values at its bounds are accepted and reach the turn (rule I3)`, () => {
    for (const [value, adds, beside] of accepts) {
      assert.equal(parse({ ...BASE, ...beside, [name]: value }), { ...PLAIN, ...adds });
    }
  });

  it(`${name}: a value just out of bounds or of a wrong type is a 400 that names it (rule I3)`, () => {
    for (const [value, rule] of refuses) {
      const separator = /^[.[ ]/.test(rule) ? '' : ' ';
      assert.is(refusal({ ...BASE, [name]: value }), `${name}${separator}${rule}`);
    }
  });

  it(`${name}: null ${required ? 'is refused as the member is required' : 'counts as absent'}`, () => {
    if (required) assert.ok(refusal({ ...BASE, [name]: null }).startsWith(name));
    else assert.equal(parse({ ...BASE, [name]: null }), PLAIN);
  });
}

function refusal(body: unknown): string {
  const { status, type, message } = thrownBy(() => parse(body), GatewayError);
  assert.equal([status, type], [400, 'invalid_request']);
  return message;
}

it('the session header comes last and has the bound of the members that it replaces (rule I4)', () => {
  assert.is(parse({ ...BASE, session_id: 's', prompt_cache_key: 'p' }, 'h').conversation, 's');
  assert.is(parse({ ...BASE, session_id: '', prompt_cache_key: 'p' }, 'h').conversation, 'p');
  assert.is(parse({ ...BASE, session_id: null, prompt_cache_key: '' }, 'h').conversation, 'h');
  assert.is(parse(BASE, '').conversation, undefined);
  assert.is(parse(BASE, long(256)).conversation, long(256));
  assert.throws(
    () => parse({ ...BASE, session_id: 's' }, long(257)),
    /^X-Session-Id must have at most 256 characters$/,
  );
});

test.run();
