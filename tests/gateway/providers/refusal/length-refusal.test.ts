import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lengthRefusal, type NamedSizes } from '../../../../gateway/providers/refusal/length-refusal.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

/** The forms of the common servers. */
const REFUSALS: readonly (readonly [message: string, sizes: NamedSizes])[] = [
  [
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    { window: 16_384, prompt: 112_946, completion: 10_000 },
  ],
  [
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 4203 tokens.",
    { window: 4_097, prompt: 4_203 },
  ],
  [
    "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens.",
    { window: 32_768, prompt: 40_000 },
  ],
  [
    "'max_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has 6600 input tokens (4000 > 8192 - 6600).",
    { window: 8_192, prompt: 6_600, completion: 4_000 },
  ],
  [
    "You passed 8193 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens.",
    { window: 8_192, prompt: 8_193, completion: 1 },
  ],
  ['prompt is too long: 201234 tokens > 200000 maximum', { window: 200_000, prompt: 201_234 }],
  [
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    { window: 200_000, prompt: 190_000, completion: 20_000 },
  ],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { window: 1_048_576, prompt: 1_200_000 },
  ],
  [
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    { window: 4_096, prompt: 5_000, completion: 100 },
  ],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { window: 32_768, prompt: 40_000 },
  ],
  [
    'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    { window: 4_096, prompt: 5_000 },
  ],
  ['Your input exceeds the context window of this model.', {}],
];

it('a refusal for length is recognised in the words of the common servers, with the sizes that it names (rule I119)', () => {
  for (const [message, sizes] of REFUSALS) assert.equal(lengthRefusal({ message, code: 400 }), sizes, message);
  assert.equal(lengthRefusal({ code: 'context_length_exceeded' }), {});
  const own = { type: 'exceed_context_size_error', n_prompt_tokens: 5_000, n_ctx: 4_096 };
  assert.equal(lengthRefusal(own), { window: 4_096, prompt: 5_000 });
});

it('any other error is no refusal for length', () => {
  for (const error of [null, 'prompt', 7, {}, { message: 'Invalid schema for function f' }, { code: 'rate_limit' }]) {
    assert.is(lengthRefusal(error), null);
  }
});

it('a number that no window can have is not taken, and a hostile text takes no time', () => {
  assert.equal(lengthRefusal({ message: `maximum context length is ${'9'.repeat(400)} tokens` }), {});
  for (const piece of ['context length ', 'too long: 1', '(', '> 1']) {
    const startedAt = process.cpuUsage().user;
    lengthRefusal({ message: `context length ${piece.repeat(100_000)}` });
    assert.ok(process.cpuUsage().user - startedAt < 2_000_000, piece);
  }
});

test.run();
