/** How providers word the failures that are easily taken for others; words and shapes are theirs, values are made up. */
import type { NamedSizes } from '../../../../gateway/providers/refusal/length-refusal.ts';

/** What the caller learns: status and type; `category` is what records and operators see. */
interface Expected {
  readonly told: readonly [status: number, type: string];
  readonly category: string;
  /** Of a refusal for length: exactly the sizes that the provider names. */
  readonly sizes?: NamedSizes;
  readonly repeatable: boolean;
  readonly counted: boolean;
}

interface Wording extends Expected {
  readonly from: string;
  /** 200: the error is inside the answer. */
  readonly status: number;
  /** A text is sent as it is; one that begins with `data:` or `event:` is a stream. */
  readonly body: unknown;
}

const REFUSED = { repeatable: false, counted: false };
const TOO_LONG = { told: [400, 'context_length_exceeded'], category: 'context_length_exceeded', ...REFUSED } as const;
/** The model wrote what its own server could not read. */
const MALFORMED = {
  told: [502, 'provider_unavailable'],
  category: 'garbage',
  repeatable: true,
  counted: true,
} as const;
const OPERATOR = { told: [502, 'provider_unavailable'], category: 'misconfigured', repeatable: true } as const;
const RATE = { told: [503, 'provider_overloaded'], category: 'overloaded', repeatable: true, counted: false } as const;

const tooLong = (from: string, message: string, sizes: NamedSizes, more: object = {}): Wording => {
  const body = { error: { message, type: 'invalid_request_error', ...more } };
  return { from, status: 400, body, ...TOO_LONG, sizes };
};
const groq = (code: string, message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', code, failed_generation: '<function=f>{"a":', ...more },
});
const framed = (error: object): string => `event: error\ndata: ${JSON.stringify(error)}\n\n`;

const LENGTHS: readonly Wording[] = [
  tooLong(
    'vLLM',
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    { window: 16_384, prompt: 112_946, completion: 10_000 },
  ),
  tooLong(
    'OpenAI',
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 4203 tokens.",
    { window: 4_097, prompt: 4_203 },
  ),
  tooLong(
    'OpenAI, newer models',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300100 tokens.',
    { window: 272_000, prompt: 300_100 },
  ),
  tooLong(
    'OpenAI, older models',
    "This model's maximum context length is 8192 tokens, however you requested 8977 tokens (8900 in your prompt; 77 for the completion).",
    { window: 8_192, prompt: 8_900, completion: 77 },
  ),
  tooLong(
    'vLLM, newer',
    "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens.",
    { window: 32_768, prompt: 40_000 },
  ),
  tooLong(
    'vLLM, a ceiling that leaves no room',
    "'max_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has 6600 input tokens (4000 > 8192 - 6600).",
    { window: 8_192, prompt: 6_600, completion: 4_000 },
  ),
  tooLong(
    'vLLM, one token',
    "You passed 8193 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens.",
    { window: 8_192, prompt: 8_193, completion: 1 },
  ),
  tooLong('Anthropic', 'prompt is too long: 201234 tokens > 200000 maximum', { window: 200_000, prompt: 201_234 }),
  tooLong(
    'Anthropic, prompt and ceiling',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    { window: 200_000, prompt: 190_000, completion: 20_000 },
  ),
  tooLong('Google', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
    window: 1_048_576,
    prompt: 1_200_000,
  }),
  tooLong(
    'TGI',
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    { window: 4_096, prompt: 5_000, completion: 100 },
  ),
  tooLong(
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { window: 32_768, prompt: 40_000 },
  ),
  tooLong(
    'llama.cpp',
    'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    { window: 4_096, prompt: 5_000 },
    { type: 'exceed_context_size_error', n_prompt_tokens: 5_000, n_ctx: 4_096 },
  ),
  tooLong('OpenAI, Responses', 'Your input exceeds the context window of this model.', {}),
  tooLong('Groq', 'Please reduce the length of the messages or completion.', {}, { code: 'context_length_exceeded' }),
  {
    from: 'Ollama cloud, the excess',
    status: 400,
    body: { error: 'prompt too long; exceeded max context length by 1119046 tokens' },
    ...TOO_LONG,
    sizes: {},
  },
  tooLong('MiniMax, the number of its error', 'invalid params, context window exceeds limit (2013)', {}),
  tooLong(
    'Perplexity',
    'The total length of all messages is too long',
    {},
    { type: 'too_many_prompt_tokens', code: 400 },
  ),
  {
    from: 'xAI',
    status: 400,
    body: {
      code: 'invalid-argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    ...TOO_LONG,
    sizes: { window: 131_072, prompt: 537_812 },
  },
  tooLong(
    'Kimi, whose second number includes the ceiling',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    { window: 262_144 },
  ),
  tooLong(
    'Copilot',
    'prompt token count of 128500 exceeds the limit of 128000',
    { window: 128_000, prompt: 128_500 },
    { code: 'model_max_prompt_tokens_exceeded' },
  ),
  {
    from: 'Cohere, with the ceiling',
    status: 400,
    body: {
      message:
        'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
    },
    ...TOO_LONG,
    sizes: { window: 2_048 },
  },
  {
    from: 'Cohere, without',
    status: 400,
    body: {
      message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.',
    },
    ...TOO_LONG,
    sizes: { window: 4_081, prompt: 4_292 },
  },
  {
    from: 'Bedrock',
    status: 400,
    body: { message: 'Input is too long for requested model.' },
    ...TOO_LONG,
    sizes: {},
  },
  tooLong(
    'DashScope',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
    { window: 129_024 },
    { code: 'invalid_parameter_error' },
  ),
  { from: 'Z.ai', status: 400, body: { error: { code: '1261', message: 'Prompt 超长' } }, ...TOO_LONG, sizes: {} },
  { from: 'Cerebras, without a body', status: 400, body: '', ...TOO_LONG },
  tooLong(
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 23592 while limit is 8192',
    { window: 8_192, prompt: 23_592 },
    { code: 'context_length_exceeded' },
  ),
  tooLong(
    'OpenRouter, parts of the prompt',
    "This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output). Please reduce the length of either one",
    { window: 204_800, prompt: 85_432, completion: 120_000 },
    { type: undefined, code: 400, metadata: { provider_name: 'P' } },
  ),
  tooLong('Fireworks', 'The prompt is too long: 137500, model maximum context length: 131071', {
    window: 131_071,
    prompt: 137_500,
  }),
  tooLong('SGLang', "The input (691,793 tokens) is longer than the model's context length (540000 tokens).", {
    window: 540_000,
    prompt: 691_793,
  }),
  tooLong(
    'SGLang, prompt and ceiling',
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 32000 tokens from the input messages and 8000 tokens for the completion.",
    { window: 32_768, prompt: 32_000, completion: 8_000 },
  ),
  tooLong('Poolside', 'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.', {
    window: 131_040,
    prompt: 131_393,
  }),
  {
    from: 'MiniMax, inside a 200',
    status: 200,
    body: {
      id: 'x',
      choices: null,
      base_resp: { status_code: 2_013, status_msg: 'invalid params, context window exceeds limit' },
    },
    ...TOO_LONG,
    sizes: {},
  },
];

const CAUSES: readonly Wording[] = [
  {
    from: 'Groq, a malformed call',
    status: 400,
    body: groq('tool_use_failed', 'Failed to call a function. Please adjust your prompt.'),
    ...MALFORMED,
  },
  {
    from: 'Groq, malformed JSON',
    status: 400,
    body: groq('json_validate_failed', 'Failed to generate JSON. Please adjust your prompt.'),
    ...MALFORMED,
  },
  {
    from: 'Groq, a malformed call in a stream',
    status: 200,
    body: framed(groq('tool_use_failed', 'Failed to call a function.', { status_code: 400 })),
    ...MALFORMED,
  },
  {
    from: 'Groq, malformed JSON in a stream',
    status: 200,
    body: framed(groq('json_validate_failed', 'Failed to generate JSON.')),
    ...MALFORMED,
  },
  {
    from: 'Groq, tokens per minute',
    status: 413,
    body: {
      error: {
        message:
          'Request too large for model `llama-3` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    ...RATE,
  },
  {
    from: 'Groq, overload in a stream',
    status: 200,
    body: framed({ error: { message: 'over capacity', type: 'internal_server_error', status_code: 503 } }),
    ...RATE,
    counted: true,
  },
  {
    from: 'Voyage, a model',
    status: 400,
    body: { detail: 'Model nonexistent is not supported. Supported models are a, b.' },
    ...OPERATOR,
    counted: true,
  },
  {
    from: 'OpenAI, the quota',
    status: 429,
    body: {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
    },
    ...OPERATOR,
    counted: false,
  },
  {
    from: 'Kimi, the quota',
    status: 429,
    body: { error: { message: 'Your account is suspended', type: 'exceeded_current_quota_error' } },
    ...OPERATOR,
    counted: false,
  },
  {
    from: 'MiniMax, the balance, inside a 200',
    status: 200,
    body: { choices: null, base_resp: { status_code: 1_008, status_msg: 'insufficient balance' } },
    ...OPERATOR,
    counted: true,
  },
  {
    from: 'MiniMax, the rate, inside a 200',
    status: 200,
    body: { choices: null, base_resp: { status_code: 1_002, status_msg: 'rate limit exceeded(RPM)' } },
    ...RATE,
  },
  {
    from: 'OpenAI, the rate, with words about the model and its tokens',
    status: 429,
    body: {
      error: {
        message: 'Rate limit reached for gpt-x in organization org_1 on tokens per min (TPM): Limit 30000, Used 29000.',
        type: 'tokens',
        param: 'model',
        code: 'rate_limit_exceeded',
      },
    },
    ...RATE,
  },
  {
    from: 'Google, the rate, in words about a quota',
    status: 429,
    body: {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    ...RATE,
  },
];

export const WORDINGS: readonly Wording[] = [...LENGTHS, ...CAUSES];
