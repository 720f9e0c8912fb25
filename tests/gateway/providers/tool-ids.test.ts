import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMON_TOOL_ID, toolIdMapper } from '../../../gateway/providers/tool-ids.ts';
import type { TurnMessage } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
/** Two ids alone: any two others would be mapped to the same one in half of all cases. */
const TWO = { characters: 'ab', min: 1, max: 1 };

function conversation(ids: readonly string[]): readonly TurnMessage[] {
  const toolCalls = ids.map((id) => ({ id, name: 'f', arguments: '{}' }));
  return [
    { role: 'assistant', text: null, toolCalls },
    ...ids.map((toolCallId): TurnMessage => ({ role: 'tool', text: '', toolCallId })),
  ];
}

function idsOf(messages: readonly TurnMessage[]): readonly (readonly string[])[] {
  const called = messages.flatMap((each) => (each.role === 'assistant' ? (each.toolCalls ?? []) : []));
  return [called.map(({ id }) => id), messages.flatMap((each) => (each.role === 'tool' ? [each.toolCallId] : []))];
}

it('two ids never become one, a call and its result have the same, and every id is accepted', () => {
  const withIds = toolIdMapper({ toolId: COMMON_TOOL_ID });
  assert.is(new Set(idsOf(withIds(conversation(['a.b', 'a_b', 'a:b', 'a-b'])))[0]).size, 4);
  for (let n = 0; n < 20; n++) {
    const [called = [], answered] = idsOf(toolIdMapper({ toolId: TWO })(conversation([`call ${n}`, 'a'])));
    assert.equal(called, ['b', 'a']);
    assert.equal(answered, called);
  }
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 8 }), (ids) => {
      const [called = [], answered] = idsOf(withIds(conversation(ids)));
      assert.equal(answered, called);
      assert.is(new Set(called).size, ids.length);
      for (const id of called) assert.match(id, /^[\w-]{1,64}$/);
    }),
  );
});

it('a conversation whose ids are accepted is not copied, and a mapped id stays as the conversation grows', () => {
  const withIds = toolIdMapper({ toolId: COMMON_TOOL_ID });
  const accepted = conversation(['toolu_1', 'call_2']);
  assert.is(withIds(accepted), accepted);
  const begun = conversation(['functions.f:0']);
  const [first] = idsOf(withIds(begun));
  assert.is(idsOf(withIds([...begun, ...conversation(['functions.f:1'])]))[0]?.[0], first?.[0]);
});

test.run();
