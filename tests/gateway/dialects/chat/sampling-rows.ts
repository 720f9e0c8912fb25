import {
  type Accepted,
  ARRAY,
  BOOLEAN,
  INTEGER,
  long,
  NOTHING,
  NUMBER,
  OBJECT,
  omitted,
  preferring,
  type Row,
  sampled,
  tooled,
  tools,
} from './request-row.ts';

/** Rows of the chat request table: models, messages, sampling and limits. (rule I13) */
export const SAMPLING_ROWS: Readonly<Record<string, Row>> = {
  model: {
    accepts: [
      [long(256), { models: [long(256)] }],
      ...['a/b:free', 'a/b:nitro', 'a/b:floor', 'a/b:exacto', 'p/b', 'p/a/b', 'a/b:unknown'].map(
        (id): Accepted => [id, { models: [id] }],
      ),
    ],
    refuses: [
      [5, 'must be a string'],
      ['', 'must not be empty'],
      [long(257), 'must have at most 256 characters'],
      ['a/b:online', ' a/b:online: the suffix :online is not supported'],
    ],
    required: true,
  },
  models: {
    accepts: [
      [[], NOTHING],
      [['c/d', 'a/b', 'c/d'], { models: ['a/b', 'c/d'] }],
      [
        Array.from({ length: 20 }, (_, n) => `m/${n}`),
        { models: ['a/b', ...Array.from({ length: 20 }, (_, n) => `m/${n}`)] },
      ],
    ],
    refuses: [
      ...ARRAY,
      [Array(21).fill('c/d'), 'must have at most 20 items'],
      [[5], '[0] must be a string'],
      [[null], '[0] must be a string'],
    ],
  },
  messages: {
    accepts: [[[{ role: 'user', content: '' }], { messages: [{ role: 'user', text: '' }] }]],
    refuses: [...ARRAY, [[], 'must have at least 1 item'], [[null], '[0] must be an object']],
    required: true,
  },
  stream: {
    accepts: [
      [true, { stream: true }],
      [false, NOTHING],
    ],
    refuses: BOOLEAN,
  },
  store: {
    accepts: [[false, preferring({ zeroRetention: 'store' })]],
    refuses: [...BOOLEAN, [true, 'must be false: nothing is stored']],
  },
  enable_thinking: { accepts: sampled('enable_thinking', true, false), refuses: BOOLEAN },
  stream_options: {
    accepts: [
      [{}, NOTHING],
      [{ include_usage: true, include_tool_dispatch: true }, NOTHING],
      [{ include_tool_dispatch: true }, { tools }, tooled],
      [{ include_tool_dispatch: true }, { stream: true }, { stream: true }],
      [{ include_tool_dispatch: true }, { stream: true }, { stream: true, tools: [] }],
      [{ include_tool_dispatch: true }, { stream: true, tools, dispatch: true }, { stream: true, ...tooled }],
      [{ include_tool_dispatch: false }, { stream: true, tools }, { stream: true, ...tooled }],
    ],
    refuses: [
      ...OBJECT,
      [{ include_usage: 1 }, '.include_usage must be a boolean'],
      [{ include_tool_dispatch: 'x' }, '.include_tool_dispatch must be a boolean'],
    ],
  },
  temperature: {
    accepts: sampled('temperature', 0, 2, 0.3),
    refuses: [...NUMBER, [-0.01, 'must be at least 0'], [2.01, 'must be at most 2']],
  },
  top_p: {
    accepts: sampled('top_p', Number.MIN_VALUE, 1),
    refuses: [...NUMBER, [0, 'must be greater than 0'], [1.01, 'must be at most 1']],
  },
  top_k: { accepts: sampled('top_k', -1, 0, 40), refuses: [...INTEGER, [-2, 'must be at least -1']] },
  min_p: {
    accepts: sampled('min_p', 0, 1),
    refuses: [...NUMBER, [-0.01, 'must be at least 0'], [1.01, 'must be at most 1']],
  },
  top_a: {
    accepts: omitted(0, 1),
    refuses: [...NUMBER, [-0.01, 'must be at least 0'], [1.01, 'must be at most 1']],
  },
  frequency_penalty: {
    accepts: sampled('frequency_penalty', -2, 2, 0),
    refuses: [...NUMBER, [-2.01, 'must be at least -2'], [2.01, 'must be at most 2']],
  },
  presence_penalty: {
    accepts: sampled('presence_penalty', -2, 2, 0),
    refuses: [...NUMBER, [-2.01, 'must be at least -2'], [2.01, 'must be at most 2']],
  },
  repetition_penalty: {
    accepts: sampled('repetition_penalty', Number.MIN_VALUE, 2),
    refuses: [...NUMBER, [0, 'must be greater than 0'], [2.01, 'must be at most 2']],
  },
  seed: {
    accepts: sampled('seed', 0, -1, 2 ** 53 - 1, 1 - 2 ** 53),
    refuses: [
      ...INTEGER,
      [2 ** 53, 'must be at most 9007199254740991'],
      [-(2 ** 53), 'must be at least -9007199254740991'],
    ],
  },
  stop: {
    accepts: [...sampled('stop', 'x', '', ['x'], Array(8).fill('x')), [[], NOTHING]],
    refuses: [
      [5, 'must be a string or an array'],
      [Array(9).fill('x'), 'must have at most 8 items'],
      [[5], '[0] must be a string'],
      [[null], '[0] must be a string'],
    ],
  },
  max_tokens: {
    accepts: [
      [1, { completionTokensMax: 1 }],
      [1_048_576, { completionTokensMax: 1_048_576 }],
      [50, { completionTokensMax: 40 }, { max_completion_tokens: 40 }],
    ],
    refuses: [
      ...INTEGER,
      [0, 'must be at least 1'],
      [1_048_577, 'must be at most 1048576'],
      [1e300, 'must be at most 1048576'],
    ],
  },
  max_completion_tokens: {
    accepts: [
      [1, { completionTokensMax: 1 }],
      [1_048_576, { completionTokensMax: 1_048_576 }],
      [50, { completionTokensMax: 40 }, { max_tokens: 40 }],
    ],
    refuses: [...INTEGER, [0, 'must be at least 1'], [1_048_577, 'must be at most 1048576']],
  },
  logit_bias: {
    accepts: [
      [{}, NOTHING],
      [{ 5: null }, NOTHING],
      ...sampled('logit_bias', { 5: -100, 6: 100, 7: 0.5 }),
      [{ 5: null, 6: 1 }, { sampling: { logit_bias: { 6: 1 } } }],
    ],
    refuses: [
      ...OBJECT,
      [{ 5: 100.5 }, '[5] must be at most 100'],
      [{ 5: -100.5 }, '[5] must be at least -100'],
      [{ 5: '1' }, '[5] must be a number'],
    ],
  },
  logprobs: {
    accepts: [
      [true, { sampling: { logprobs: true } }],
      [false, NOTHING],
    ],
    refuses: BOOLEAN,
  },
  top_logprobs: {
    accepts: [...sampled('top_logprobs', 1, 20), [0, NOTHING]],
    refuses: [...INTEGER, [-1, 'must be at least 0'], [21, 'must be at most 20']],
  },
};
