/** What real providers answer to requests that they refuse; words and shapes are theirs, values are made up. */

/** Stands for text of the caller that a provider quotes. */
export const PROMPT = 'the-prompt-of-the-caller';

interface Row {
  readonly from: string;
  readonly status: number;
  readonly body: unknown;
  /** The caller's status, `error_type`, `provider_code` and path. */
  readonly told: readonly [number, string, string, string?];
}

const openAi = (message: string, param: string | null, code: string | null): object => ({
  error: { message, type: 'invalid_request_error', param, code },
});
const anthropic = (message: string): object => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_011CUB2XUHWkFnQzxcKBbjpF',
});
const google = (message: string, details: readonly object[] = []): object => ({
  error: { code: 400, message, status: 'INVALID_ARGUMENT', details },
});

export const ROWS: readonly Row[] = [
  {
    from: 'OpenAI, a tool schema',
    status: 400,
    body: openAi(
      "Invalid schema for function 'get_me': In context=(), object schema missing properties.",
      'tools[13].function.parameters',
      'invalid_function_parameters',
    ),
    told: [400, 'invalid_request', 'invalid_schema', 'tools[13].function.parameters'],
  },
  {
    from: 'OpenAI, length',
    status: 400,
    body: openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.",
      'messages',
      'context_length_exceeded',
    ),
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'OpenAI, ceiling',
    status: 400,
    body: openAi(
      'max_tokens is too large: 128000. This model supports at most 16384 completion tokens, whereas you provided 128000.',
      'max_tokens',
      'invalid_value',
    ),
    told: [400, 'max_tokens_exceeded', 'max_tokens_exceeded', 'max_tokens'],
  },
  {
    from: 'OpenAI, a parameter that the model lacks',
    status: 400,
    body: openAi(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      'temperature',
      'unsupported_parameter',
    ),
    told: [400, 'invalid_request', 'unsupported_parameter', 'temperature'],
  },
  {
    from: 'OpenAI, a value out of range',
    status: 400,
    body: openAi(
      "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 5, but got 20 instead.",
      'top_logprobs',
      'integer_above_max_value',
    ),
    told: [400, 'invalid_request', 'invalid_parameter', 'top_logprobs'],
  },
  {
    from: 'OpenAI, usage policy',
    status: 400,
    body: openAi(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
      null,
      'invalid_prompt',
    ),
    told: [403, 'content_policy_violation', 'content_policy_violation'],
  },
  {
    from: 'OpenAI, an image that cannot be fetched',
    status: 400,
    body: openAi('Error while downloading https://a.test/x.png.', 'url', 'invalid_image_url'),
    told: [400, 'invalid_image', 'invalid_image'],
  },
  {
    from: 'Azure, content filter',
    status: 400,
    body: {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { violence: { filtered: true, severity: 'medium' } },
        },
      },
    },
    told: [403, 'content_policy_violation', 'content_policy_violation'],
  },
  {
    from: 'Anthropic, length',
    status: 400,
    body: anthropic('prompt is too long: 207791 tokens > 200000 maximum'),
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'Anthropic, prompt and ceiling',
    status: 400,
    body: anthropic(
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length',
    ),
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'Anthropic, ceiling',
    status: 400,
    body: anthropic('max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens for claude-x'),
    told: [400, 'max_tokens_exceeded', 'max_tokens_exceeded', 'max_tokens'],
  },
  {
    from: 'Anthropic, a tool schema',
    status: 400,
    body: anthropic('tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12'),
    told: [400, 'invalid_request', 'invalid_schema', 'tools[0].function.parameters'],
  },
  {
    from: 'Anthropic, a tool result without its call; its messages count differently',
    status: 400,
    body: anthropic('messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1'),
    told: [400, 'invalid_request', 'invalid_parameter', 'messages'],
  },
  {
    from: 'Anthropic, a large image',
    status: 400,
    body: anthropic(
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
    ),
    told: [400, 'invalid_image', 'invalid_image', 'messages'],
  },
  {
    from: 'Anthropic, output filter',
    status: 400,
    body: anthropic('Output blocked by content filtering policy'),
    told: [403, 'content_policy_violation', 'content_policy_violation'],
  },
  {
    from: 'Anthropic, bytes',
    status: 413,
    body: { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    told: [413, 'payload_too_large', 'payload_too_large'],
  },
  {
    from: 'Google, length, in a list as its compatible route answers',
    status: 400,
    body: [google('The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).')],
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'Google, a tool schema',
    status: 400,
    body: google(
      `Invalid JSON payload received. Unknown name "${PROMPT}" at 'tools[0].function_declarations[5].parameters.properties[8].value': Cannot find field.`,
      [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [
            { field: 'tools[0].function_declarations[5].parameters.properties[8].value', description: 'Cannot find' },
          ],
        },
      ],
    ),
    told: [400, 'invalid_request', 'invalid_schema', 'tools[5].function.parameters'],
  },
  {
    from: 'Google, a function name',
    status: 400,
    body: google('* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.'),
    told: [400, 'invalid_request', 'invalid_parameter', 'tools[0].function.name'],
  },
  {
    from: 'Google, ceiling',
    status: 400,
    body: google(
      'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
    ),
    told: [400, 'max_tokens_exceeded', 'max_tokens_exceeded', 'max_tokens'],
  },
  {
    from: 'Mistral, a member that it lacks',
    status: 422,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'frequency_penalty'],
            msg: 'Extra inputs are not permitted',
            input: 0,
          },
        ],
      },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    told: [422, 'unprocessable', 'unsupported_parameter', 'frequency_penalty'],
  },
  {
    from: 'Mistral, a member of a message, as JSON in the message',
    status: 422,
    body: {
      object: 'error',
      message:
        '{"detail":[{"type":"extra_forbidden","loc":["body","messages",3,"user","name"],"msg":"Extra inputs are not permitted","input":""}]}',
      type: 'internal_error_proxy',
      code: '1000',
    },
    told: [422, 'unprocessable', 'unsupported_parameter', 'messages[3].name'],
  },
  {
    from: 'Mistral, length',
    status: 400,
    body: {
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_invalid_args',
      code: '3051',
    },
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'DeepSeek, the shape of a message',
    status: 400,
    body: openAi(
      'Failed to deserialize the JSON body into the target type: messages[9]: invalid type: sequence, expected a string at line 1 column 45446',
      null,
      'invalid_request_error',
    ),
    told: [400, 'invalid_request', 'invalid_parameter', 'messages[9]'],
  },
  {
    from: 'DeepSeek, ceiling',
    status: 400,
    body: openAi('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', null, 'invalid_request_error'),
    told: [400, 'max_tokens_exceeded', 'max_tokens_exceeded', 'max_tokens'],
  },
  {
    from: 'DeepSeek, moderation',
    status: 400,
    body: openAi('Content Exists Risk', null, 'invalid_request_error'),
    told: [403, 'content_policy_violation', 'content_policy_violation'],
  },
  {
    from: 'vLLM, length',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'vLLM, a value, in the words of Python',
    status: 400,
    body: {
      object: 'error',
      message: `[{'type': 'int_parsing', 'loc': ('body', 'top_k'), 'msg': 'Input should be a valid integer', 'input': '${PROMPT}'}]`,
      type: 'BadRequestError',
      code: 400,
    },
    told: [400, 'invalid_request', 'invalid_parameter', 'top_k'],
  },
  {
    from: 'llama.cpp, length',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 14_429,
        n_ctx: 8_192,
      },
    },
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'llama.cpp, length, in an older version',
    status: 500,
    body: { error: { code: 500, message: 'the request exceeds', type: 'exceed_context_size_error', n_ctx: 256 } },
    told: [400, 'context_length_exceeded', 'context_length_exceeded'],
  },
  {
    from: 'a marketplace, moderation',
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'Your chosen model requires moderation and your input was flagged',
        metadata: { reasons: ['violence'], flagged_input: PROMPT, provider_name: 'P', model_slug: 'm' },
      },
    },
    told: [403, 'content_policy_violation', 'content_policy_violation'],
  },
  {
    from: 'a marketplace, the error of its own provider as a text',
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"Invalid value for \'top_p\'","type":"invalid_request_error","param":"top_p","code":"invalid_value"}}',
          provider_name: 'P',
        },
      },
    },
    told: [400, 'invalid_request', 'invalid_parameter', 'top_p'],
  },
  {
    from: 'a server that explains nothing',
    status: 422,
    body: { detail: `no: ${PROMPT}` },
    told: [422, 'unprocessable', 'invalid_request'],
  },
];

/** Answers about the operator's account or model: the caller cannot change them. */
export const OPERATORS: readonly (readonly [string, number, unknown])[] = [
  ['Google, a key', 400, google('API key not valid. Please pass a valid API key.', [{ reason: 'API_KEY_INVALID' }])],
  ['Anthropic, credit', 400, anthropic('Your credit balance is too low to access the API.')],
  ['OpenAI, billing', 400, openAi('Billing hard limit has been reached', null, 'billing_hard_limit_reached')],
  ['DeepSeek, a model', 400, openAi('Model Not Exist', null, 'invalid_request_error')],
  ['a model by its parameter', 400, openAi('x', 'model', 'invalid_value')],
  ['a key', 401, openAi('Incorrect API key provided', null, 'invalid_api_key')],
  ['a region', 403, { error: { message: 'Country not supported', code: 'unsupported_country' } }],
  ['a route', 405, { detail: 'Method Not Allowed' }],
];
