import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DIALECTS } from '../../../../gateway/dialects/dialect-table.ts';
import { unreadMembers } from '../../../../gateway/dialects/request/read-members.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('names the members that a dialect does not read, and nothing where it reads all (rule I2)', () => {
  const { members } = DIALECTS.chat;
  assert.is(unreadMembers(members, { model: 'm', messages: [], stream_options: {}, metadata: {} }), null);
  assert.equal(unreadMembers(members, { model: 'm', mesages: [], max_output_tokens: 5 }), [
    ...['mesages', 'max_output_tokens'],
  ]);
  assert.equal(unreadMembers(DIALECTS.responses.members, { max_output_tokens: 5, max_tokens: 5 }), ['max_tokens']);
});

it('passes by a null, a name that a header cannot carry, and an inherited one; it names sixteen at most', () => {
  const none = new Set<string>();
  const hostile = JSON.parse('{"__proto__": 1, "a\\r\\nb": 1, "": 1, "n": null}') as object;
  assert.equal(unreadMembers(none, hostile), ['__proto__']);
  assert.is(unreadMembers(none, Object.create({ inherited: 1 }) as object), null);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, at]));
  assert.is(unreadMembers(none, many)?.length, 16);
});

test.run();
