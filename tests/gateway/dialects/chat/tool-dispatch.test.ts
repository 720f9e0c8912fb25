import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatFrames } from '../../../../gateway/dialects/chat/frames.ts';
import { ToolDispatch } from '../../../../gateway/dialects/chat/tool-dispatch.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const FINISH: TurnEvent = { type: 'finish', reason: 'tool_calls', native: 'tool_calls' };

function start(index: number, id = `call_${index}`): TurnEvent {
  return { type: 'tool-start', index, id, name: `tool_${index}` };
}

function piece(index: number, text: string): TurnEvent {
  return { type: 'tool-delta', index, arguments: text };
}

interface Announced {
  readonly choice_index: number;
  readonly tool_call: {
    readonly index: number;
    readonly id: string;
    readonly function: { readonly arguments: string };
  };
}

/** The calls announced at each event. */
function announced(events: readonly TurnEvent[]): Announced[][] {
  const dispatch = new ToolDispatch();
  return events.map((event) =>
    dispatch
      .before(event)
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) => {
        const found = /^event: tool_call_dispatch\ndata: (.+)$/.exec(frame);
        return JSON.parse(found?.[1] as string) as Announced;
      }),
  );
}

function idsOf(events: readonly TurnEvent[]): string[] {
  return announced(events).flatMap((each) => each.map(({ tool_call }) => tool_call.id));
}

it('announces a complete call when the next one starts, and the last one at the finish (rule I67)', () => {
  const seen = announced([start(0), piece(0, '{"a"'), piece(0, ':1}'), start(1), piece(1, '{}'), FINISH]);
  assert.equal(
    seen.map((each) => each.length),
    [0, 0, 0, 1, 0, 1],
  );
  assert.equal(seen[3]?.[0], {
    choice_index: 0,
    tool_call: { index: 0, id: 'call_0', type: 'function', function: { name: 'tool_0', arguments: '{"a":1}' } },
  } as never);
});

it('does not announce partial or malformed arguments, or values other than objects (rule I68)', () => {
  for (const text of ['{"a":', '{"a":1}}', '', '1', '"x"', '[1]', 'null', '{"a":1}{"b":2}', '{a:1}']) {
    assert.equal(idsOf([start(0), piece(0, text), FINISH]), [], text);
  }
});

it('waits for a call whose fragments alternate with those of another one', () => {
  const events = [start(0), piece(0, '{"a":'), start(1), piece(1, '{}'), piece(0, '2}'), start(2), FINISH];
  assert.equal(idsOf(events), ['call_0', 'call_1']);
});

it('announces an id once (rule I67)', () => {
  assert.equal(idsOf([start(0, 'same'), piece(0, '{}'), start(1, 'same'), piece(1, '{}'), FINISH, FINISH]), ['same']);
});

it('does not announce a payload over 64 KiB, counted in bytes (rule I68)', () => {
  const envelope = Buffer.byteLength(
    '{"choice_index":0,"tool_call":{"index":0,"id":"call_0","type":"function","function":{"name":"tool_0","arguments":""}}}',
  );
  // The quotes of the arguments are escaped in the payload: {\"a\":\"...\"}
  const room = 64 * 1024 - envelope - '{\\"a\\":\\"\\"}'.length;
  const sized = (n: number): string => `{"a":"${'x'.repeat(n)}"}`;
  assert.equal(idsOf([start(0), piece(0, sized(room)), FINISH]), ['call_0']);
  assert.equal(idsOf([start(0), piece(0, sized(room + 1)), FINISH]), []);
  assert.equal(idsOf([start(0), piece(0, `{"a":"${'ü'.repeat(room / 2 + 1)}"}`), FINISH]), []);
});

it('announces no calls of a stream that breaks', () => {
  const error = new GatewayError({ status: 502, type: 'provider_unavailable', message: 'broke off' });
  assert.equal(idsOf([start(0), piece(0, '{}'), { type: 'error', error }]), []);
});

it('is sent between ordinary fragments, all of which arrive, and only after the opt-in (rule I67)', () => {
  const events = [start(0), piece(0, '{}'), FINISH];
  const head = { id: 'gen-1', created: 1, model: 'a/b', provider: 'P' };
  const plain = new ChatFrames(head, { hidden: false, dispatch: false }).of(events);
  const opted = new ChatFrames(head, { hidden: false, dispatch: true }).of(events);
  assert.not.match(plain, /event:/);
  assert.is(opted.replace(/event: tool_call_dispatch\ndata: .+\n\n/, ''), plain);
  assert.ok(opted.indexOf('tool_call_dispatch') < opted.indexOf('"finish_reason":"tool_calls"'));
});

it('parses a call a bounded number of times before the finish and keeps a bounded size of incomplete calls (rule I68)', () => {
  const parse = JSON.parse;
  let characters = 0;
  JSON.parse = (text: string) => {
    characters += text.length;
    return parse(text);
  };
  try {
    const junk = `{"a":[${'1,'.repeat(10_000)}}`;
    const broken = Array.from({ length: 300 }, (_, at) => [start(at), piece(at, junk)]).flat();
    const dispatch = new ToolDispatch();
    for (const event of [...broken, FINISH]) assert.is(dispatch.before(event), '');
    assert.ok(characters <= 300 * junk.length, `${characters} characters were parsed`);
    characters = 0;
    const growing = new ToolDispatch();
    for (let at = 1; at < 50; at++) {
      growing.before(start(at));
      growing.before(piece(1, '{}'));
    }
    assert.ok(characters <= 4 * 100, `${characters} characters of a growing call`);
  } finally {
    JSON.parse = parse;
  }
});

it('a call that was parsed too often is still announced at the finish', () => {
  const others = Array.from({ length: 8 }, (_, at) => [start(at + 1), piece(0, ' {}'.slice(0, 1))]).flat();
  assert.equal(idsOf([start(0), piece(0, '{"a":"}'), ...others, piece(0, '"}'), FINISH]), ['call_0']);
});

test.run();
