import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../support/bounded.ts';

/** The provider's own SDK against the simulator that enforces its rules: the simulator speaks the wire. */

const it = bounded(test);
let simulator: Simulator;
let client: Anthropic;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-a' });
  const baseURL = `http://127.0.0.1:${simulator.port}/strict/anthropic`;
  client = new Anthropic({ baseURL, apiKey: 'k', maxRetries: 0 });
});
test.after(() => simulator.close());

const ASKED = 'Go @sim {"reasoning_tokens":3,"tool_calls":[{"name":"find","arguments":"{\\"n\\":1}"}]}';
const TOOLS: Anthropic.Tool[] = [{ name: 'find', input_schema: { type: 'object' } }];
const THINKING = { type: 'enabled', budget_tokens: 1_024 } as const;
const ASK = { model: 'claude-haiku-4-5', max_tokens: 2_000, tools: TOOLS, thinking: THINKING };
const GO: Anthropic.MessageParam = { role: 'user', content: ASKED };

function resultOf(message: Anthropic.Message): Anthropic.MessageParam[] {
  const content = message.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'five' }] : [],
  );
  return [
    { role: 'assistant', content: message.content as Anthropic.ContentBlockParam[] },
    { role: 'user', content },
  ];
}

async function wordsOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    assert.instance(error, BadRequestError);
    assert.is((error as BadRequestError).type, 'invalid_request_error');
    return (error as BadRequestError).message;
  }
  throw new Error('it was answered');
}

it('an answer that thinks and calls is read by the SDK, streamed and whole, and its thinking is demanded back', async () => {
  const whole = await client.messages.create({ ...ASK, messages: [GO] });
  const streamed = await client.messages.stream({ ...ASK, messages: [GO] }).finalMessage();
  for (const message of [whole, streamed]) {
    assert.equal(
      message.content.map(({ type }) => type),
      ['thinking', 'tool_use'],
    );
    assert.is(message.stop_reason, 'tool_use');
    const next = await client.messages.create({ ...ASK, messages: [GO, ...resultOf(message)] });
    assert.is(next.type, 'message');
    const forgotten = resultOf({ ...message, content: message.content.slice(1) });
    assert.match(
      await wordsOf(client.messages.create({ ...ASK, messages: [GO, ...forgotten] })),
      /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    );
    const forged = resultOf({
      ...message,
      content: message.content.map((block) => (block.type === 'thinking' ? { ...block, signature: 'eA==' } : block)),
    });
    assert.match(
      await wordsOf(client.messages.create({ ...ASK, messages: [GO, ...forged] })),
      /Invalid `signature` in `thinking` block/,
    );
  }
});

it('the family of a model decides how it thinks', async () => {
  const hi = { max_tokens: 2_000, messages: [{ role: 'user', content: 'Hi' }] } as const;
  const asked = async (model: string, thinking: Anthropic.ThinkingConfigParam): Promise<string | null> =>
    client.messages.create({ ...hi, messages: [...hi.messages], model, thinking }).then(
      () => null,
      (error: BadRequestError) => error.message,
    );
  const adaptive = { type: 'adaptive' } as const;
  assert.is(await asked('claude-3-7-sonnet-20250219', THINKING), null);
  assert.is(await asked('claude-opus-4-7', adaptive), null);
  assert.match(String(await asked('claude-opus-4-7', THINKING)), /thinking\.type\.enabled/);
  assert.match(String(await asked('claude-haiku-4-5', adaptive)), /adaptive thinking is not supported/);
  assert.match(String(await asked('claude-3-5-haiku-latest', THINKING)), /not supported/);
});

test.run();
