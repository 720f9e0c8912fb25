import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { messagesWriter } from '../../../../gateway/providers/messages/request-body.ts';
import { reasoningRule } from '../../../../gateway/routing/eligibility/reasoning.ts';
import { type MessagesModel, refusalOf } from '../../../../gateway/simulator/strict/messages-rules.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { anyTurn } from '../../providers/any-turn.ts';
import { MESSAGES_TARGET, turnOf } from '../../providers/scene.ts';

const it = bounded(test, 120_000);
const RUNS = Number(process.env.ROUND_TRIPS ?? 500);

const BUDGETED: MessagesModel = { thinks: 'budget', samplesTwice: false, prefills: true };
const ADAPTIVE: MessagesModel = { thinks: 'adaptive', samplesTwice: false, prefills: false };

const DECLARED: Partial<Endpoint> = {
  supportedParameters: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'structured_outputs', 'reasoning'],
  inputModalities: ['text', 'image', 'file'],
  target: { ...MESSAGES_TARGET, wire: { exclusive: [['temperature', 'top_p']] } },
};

/** What the operator declares for each kind of model. */
const ENDPOINTS: Readonly<Record<string, readonly [MessagesModel, Endpoint]>> = {
  'a budget': [
    BUDGETED,
    endpointOf({ ...DECLARED, reasoning: { mandatory: false, budget: { min: 1_024, max: 64_000 } } }),
  ],
  efforts: [
    ADAPTIVE,
    endpointOf({ ...DECLARED, reasoning: { mandatory: false, efforts: ['xhigh', 'high', 'medium', 'low'] } }),
  ],
  'no reasoning': [{ ...BUDGETED, thinks: 'never' }, endpointOf(DECLARED)],
};

const SIGNED = new Set<unknown>(['c2ln', 'b3BhcXVl']);
const isSigned = (text: unknown): boolean => SIGNED.has(text);

function refusedAs(body: unknown, model: MessagesModel = ADAPTIVE): string | null {
  return refusalOf(body, model, isSigned);
}

function isServed(endpoint: Endpoint, reasoning: NonNullable<Turn['reasoning']>): boolean {
  return endpoint.reasoning !== null && reasoningRule(endpoint, reasoning) === null;
}

for (const [what, [model, endpoint]] of Object.entries(ENDPOINTS)) {
  it(`a model that declares ${what} refuses no turn that routing sends to it`, () => {
    const write = messagesWriter(endpoint);
    fc.assert(
      fc.property(anyTurn, fc.constantFrom(1_000, 2_000, 20_000), (turn, ceiling) => {
        fc.pre(turn.reasoning === undefined || isServed(endpoint, turn.reasoning));
        // Declared values of a parameter are checked before.
        fc.pre(((turn.sampling.temperature as number | undefined) ?? 0) <= 1);
        assert.is(refusedAs(JSON.parse(write(turn, ceiling)), model), null);
      }),
      { numRuns: RUNS },
    );
  });
}

const HI = { role: 'user', content: 'Hi' };
const PLAIN = { model: 'm', max_tokens: 4_000, messages: [HI] };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'five' };
const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];
const after = (...content: object[]) => ({
  ...PLAIN,
  messages: [HI, { role: 'assistant', content }, { role: 'user', content: [RESULT] }],
});
const ENABLED = { type: 'enabled', budget_tokens: 2_000 };

const MARK = { cache_control: { type: 'ephemeral' } };
const marked = (marks: number) => Array.from({ length: marks }, () => ({ type: 'text', text: 'x', ...MARK }));
const userOf = (...content: object[]) => ({ ...PLAIN, messages: [{ role: 'user', content }] });
const heldBy = (content: unknown) => ({ type: 'document', source: { type: 'content', content } });
const FOUND = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] };

const REFUSED: readonly (readonly [object, RegExp, MessagesModel?])[] = [
  [{ ...PLAIN, seed: 1 }, /^seed: Extra inputs are not permitted/],
  [{ ...PLAIN, max_tokens: undefined }, /^max_tokens: Field required/],
  [{ ...PLAIN, messages: [{ role: 'assistant', content: 'Hi' }, HI] }, /first message must use the "user" role/],
  [{ ...PLAIN, messages: [{ ...HI, name: 'ann' }] }, /^messages\.0\.name: Extra inputs/],
  [{ ...PLAIN, messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] }, /non-whitespace text/],
  [{ ...PLAIN, stop_sequences: ['\n'] }, /non-whitespace/],
  [{ ...userOf(...marked(4)), ...MARK }, /^A maximum of 4 blocks with cache_control may be provided\. Found 5\./],
  [userOf({ ...FOUND, content: [FOUND] }), /search_result\.content\.0: wrong type/],
  [userOf({ ...FOUND, filename: 'a' }), /search_result\.filename: Extra inputs/],
  [userOf(heldBy([FOUND])), /document\.source\.content\.content\.0: wrong type/],
  [{ ...PLAIN, temperature: 1.5 }, /^temperature: range/],
  [{ ...PLAIN, temperature: 1, top_p: 1 }, /cannot both be specified/],
  [{ ...PLAIN, tool_choice: { type: 'auto' } }, /while providing tools/],
  [{ ...PLAIN, tools: [{ ...TOOLS[0], parameters: {} }] }, /^tools\.0\.custom\.parameters: Extra inputs/],
  [after({ ...CALL, id: 'a:0' }), /String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'/],
  [after({ type: 'text', text: 'Hi' }), /unexpected `tool_use_id` found in `tool_result` blocks: toolu_1/],
  [after(CALL, { ...CALL, id: 'toolu_2' }), /without `tool_result` blocks immediately after: toolu_2/],
  [after({ type: 'thinking', thinking: 'x', signature: 'forged' }, CALL), /Invalid `signature` in `thinking` block/],
  [{ ...after(CALL), thinking: ENABLED }, /Expected `thinking` or `redacted_thinking`, but found `tool_use`/, BUDGETED],
  [{ ...PLAIN, thinking: { type: 'enabled', budget_tokens: 1_000 } }, /greater than or equal to 1024/, BUDGETED],
  [{ ...PLAIN, thinking: { type: 'enabled', budget_tokens: 4_000 } }, /must be greater than `thinking/, BUDGETED],
  [{ ...PLAIN, thinking: ENABLED }, /"thinking.type.enabled" is not supported/],
  [{ ...PLAIN, thinking: { type: 'adaptive' } }, /adaptive thinking is not supported/, BUDGETED],
  [{ ...PLAIN, output_config: { effort: 'high' } }, /does not support the effort parameter/, BUDGETED],
  [{ ...PLAIN, output_config: { effort: 'minimal' } }, /^output_config\.effort/],
  [{ ...PLAIN, thinking: { type: 'adaptive' }, temperature: 0.2 }, /may only be set to 1/],
  [{ ...PLAIN, thinking: { type: 'adaptive' }, top_p: 0.9 }, /`top_p` must be/],
  [{ ...PLAIN, thinking: { type: 'adaptive' }, top_k: 5 }, /`top_k` must be unset/],
  [{ ...PLAIN, thinking: { type: 'adaptive' }, tools: TOOLS, tool_choice: { type: 'any' } }, /forces tool use/],
  [{ ...PLAIN, messages: [HI, { role: 'assistant', content: 'So ' }] }, /trailing whitespace/, BUDGETED],
  [{ ...PLAIN, messages: [HI, { role: 'assistant', content: 'So' }] }, /assistant message prefill/],
];

it('each rule refuses what breaks it, in the published words', () => {
  assert.is(refusedAs(PLAIN), null);
  assert.is(refusedAs({ ...userOf(...marked(3), FOUND, heldBy('x')), ...MARK }), null);
  for (const [body, words, model] of REFUSED) {
    assert.match(String(refusedAs(body, model)), words);
  }
});

it('white space alone, a greeting before the first question and the beginning of the answer are put in order', () => {
  const write = messagesWriter(endpointOf({ ...DECLARED, reasoning: null }));
  const messagesOf = (messages: Turn['messages']): unknown => {
    const body = JSON.parse(write(turnOf({ messages, sampling: { stop: ['\n', 'END'] } }), 1_000)) as {
      messages: unknown;
      stop_sequences: unknown;
    };
    assert.is(refusedAs(body, BUDGETED), null);
    assert.equal(body.stop_sequences, ['END']);
    return body.messages;
  };
  const text = (text: string) => [{ type: 'text', text }];
  const blank = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: '\n' },
    { role: 'user', text: 'So?' },
  ] as const;
  assert.equal(messagesOf(blank), [{ role: 'user', content: [...text('Hi'), ...text('So?')] }]);
  const greeted = [
    { role: 'assistant', text: 'Welcome. ' },
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Five \n' },
  ] as const;
  assert.equal(messagesOf(greeted), [
    { role: 'user', content: text('(The assistant begins.)') },
    { role: 'assistant', content: text('Welcome. ') },
    { role: 'user', content: text('Hi') },
    { role: 'assistant', content: text('Five') },
  ]);
  const blocks = [{ type: 'text', text: 'So\n', cacheFor: '5m' }] as const;
  assert.equal(
    messagesOf([
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: 'So\n', blocks },
    ]),
    [
      { role: 'user', content: text('Hi') },
      { role: 'assistant', content: [{ type: 'text', text: 'So', cache_control: { type: 'ephemeral' } }] },
    ],
  );
});

test.run();
