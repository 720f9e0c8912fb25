import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-a' });
});
test.after(() => simulator.close());

it('the SDK reads what the simulated provider answers, whole and streamed, and its reasoning is demanded back', async () => {
  const baseURL = `http://127.0.0.1:${simulator.port}/strict/openai/v1`;
  const client = new OpenAI({ baseURL, apiKey: 'k', maxRetries: 0 });
  const content = 'Go @sim {"reasoning_tokens":3,"tool_calls":[{"name":"find","arguments":"{\\"n\\":1}"}]}';
  const go: OpenAI.Responses.ResponseInputItem = { role: 'user', content };
  const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'find', parameters: {}, strict: false }];
  const request = { model: 'sim/tools', store: false, tools };
  const whole = await client.responses.create({ ...request, input: [go] });
  const stream = client.responses.stream({ ...request, input: [go] });
  for (const { output, usage, status } of [whole, await stream.finalResponse()]) {
    assert.is(status, 'completed');
    assert.equal(
      output.map(({ type }) => type),
      ['reasoning', 'function_call'],
    );
    assert.is(usage?.output_tokens_details.reasoning_tokens, 3);
    const [thought, { call_id, name, arguments: given }] = output as [
      OpenAI.Responses.ResponseReasoningItem,
      OpenAI.Responses.ResponseFunctionToolCall,
    ];
    // The SDK adds members of its own to calls that it has put together.
    const call = { type: 'function_call', call_id, name, arguments: given } as const;
    assert.equal(thought.summary, [{ type: 'summary_text', text: 'r1 r2 r3 ' }]);
    const result = { type: 'function_call_output', call_id, output: '5' } as const;
    const after = [{ role: 'user', content: 'Hi' } as const, thought, call, result];
    assert.ok((await client.responses.create({ ...request, input: after })).output_text.length > 0);
    const refused = async (input: OpenAI.Responses.ResponseInput, members: object = {}): Promise<string> => {
      try {
        await client.responses.create({ ...request, ...members, input });
      } catch (error) {
        return String(error);
      }
      throw new Error('it was answered');
    };
    const { encrypted_content: _, ...bare } = thought;
    assert.match(await refused([bare, call, result]), /404 Item with id 'rs_.*not found/);
    assert.match(await refused([{ ...thought, encrypted_content: 'eA==' }, call, result]), /could not be verified/);
    assert.match(await refused([go, thought]), /without its required following item/);
    assert.match(await refused([call]), /No tool output found for function call call_/);
    assert.match(await refused([result]), /No tool call found for function call output/);
    assert.match(await refused([go], { max_output_tokens: 5 }), /integer below minimum value/);
    assert.match(await refused([go], { reasoning: { effort: 'high' }, temperature: 0.2 }), /'temperature' is not supp/);
    assert.match(await refused([go], { stop: ['x'] }), /Unknown parameter: 'stop'/);
  }
  const { output_text: text, incomplete_details: cut } = await client.responses.create({
    ...request,
    input: 'Say @sim {"text":"Grüße, 世界 and much more"}',
    tools: [],
  });
  assert.equal([text, cut], ['Grüße, 世界 and much more', null]);
});

test.run();
