import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { conversationWriter } from '../../../../gateway/providers/chat/conversation.ts';
import type { TurnMessage } from '../../../../gateway/terms/turn.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';

function conversationText(messages: readonly TurnMessage[], acceptsParts: boolean): string {
  const inputModalities: Endpoint['inputModalities'] = acceptsParts ? ['text', 'image'] : ['text'];
  return conversationWriter(endpointOf({ inputModalities }))({ messages });
}

test('renders text messages exactly like JSON.stringify, for any text', () => {
  const words = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '\u2028', '\ud800', '\0', '}]'),
  );
  const message = fc.record({ role: fc.constantFrom('user' as const, 'system' as const), text: words });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const wanted = messages.map(({ role, text }) => ({ role, content: text }));
      assert.is(conversationText(messages, true), JSON.stringify(wanted));
    }),
  );
});

test('renders names, parts and other roles in order', () => {
  const messages: readonly TurnMessage[] = [
    { role: 'developer', text: 'be brief' },
    { role: 'user', text: 'hi', name: 'ann' },
    { role: 'user', text: 'seen', parts: [{ type: 'text', text: 'seen' }] },
    { role: 'assistant', text: 'yes' },
    { role: 'tool', text: '7', toolCallId: 'call_1' },
    { role: 'user', text: 'thanks' },
  ];
  assert.equal(JSON.parse(conversationText(messages, true)), [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hi', name: 'ann' },
    { role: 'user', content: [{ type: 'text', text: 'seen' }] },
    { role: 'assistant', content: 'yes' },
    { role: 'tool', content: '7', tool_call_id: 'call_1' },
    { role: 'user', content: 'thanks' },
  ]);
  assert.is(conversationText([], true), '[]');
});

test('the content of a failed tool begins with the word, since the dialect has no member for it', () => {
  const failed = { role: 'tool', text: 'no disk', toolCallId: 'c', isError: true } as const;
  const parts = [{ type: 'text', text: 'no disk' }] as const;
  const wire = (message: TurnMessage, acceptsParts: boolean): unknown =>
    JSON.parse(conversationText([message], acceptsParts));
  assert.equal(wire(failed, true), [{ role: 'tool', content: 'Error: no disk', tool_call_id: 'c' }]);
  assert.equal(wire({ ...failed, parts }, false), [{ role: 'tool', content: 'Error: no disk', tool_call_id: 'c' }]);
  const content = [{ type: 'text', text: 'Error: ' }, ...parts];
  assert.equal(wire({ ...failed, parts }, true), [{ role: 'tool', content, tool_call_id: 'c' }]);
});

test.run();
