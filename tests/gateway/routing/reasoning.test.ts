import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effort, ReasoningControls } from '../../../actors/terms/endpoint.ts';
import { honoured } from '../../../gateway/routing/honoured.ts';
import { bounded } from '../../support/bounded.ts';
import { at, evidence, refused, slugs, turnOf } from './scene.ts';

const it = bounded(test);

function thinker(reasoning: ReasoningControls | null, refutedEfforts: readonly Effort[] = []) {
  return at('a', { supportedParameters: ['reasoning_effort'] }, { reasoning, ...evidence({ refutedEfforts }) });
}

const LEVELS: ReasoningControls = { efforts: ['high', 'medium', 'low'], mandatory: true };
const SWITCHED: ReasoningControls = { efforts: ['high', 'low'], mandatory: false };

/** What is declared, what was refuted, what is requested, and whether the endpoint may serve. */
const TABLE: readonly (readonly [string, ReasoningControls | null, readonly Effort[], object, boolean])[] = [
  ['a declared level', LEVELS, [], { effort: 'low' }, true],
  ['a level that the known domain lacks', LEVELS, [], { effort: 'xhigh' }, false],
  ['a level whose newest check failed', LEVELS, ['low'], { effort: 'low' }, false],
  ['a level without a verdict beside a refuted one', LEVELS, ['high'], { effort: 'low' }, true],
  ['any level of an unknown domain', { mandatory: true }, [], { effort: 'medium' }, false],
  ['any level where nothing is declared', null, [], { effort: 'medium' }, false],
  ['none where reasoning is mandatory', LEVELS, [], { effort: 'none' }, false],
  ['none with an off control', SWITCHED, [], { effort: 'none' }, true],
  ['none among the levels', { efforts: ['low', 'none'], mandatory: true }, [], { effort: 'none' }, true],
  ['none whose newest check found reasoning', SWITCHED, ['none'], { effort: 'none' }, false],
  ['switched off without an off control', LEVELS, [], { enabled: false }, false],
  ['switched off with one', SWITCHED, [], { enabled: false }, true],
  ['switched on', LEVELS, [], { enabled: true }, true],
  ['a budget without a declared one', LEVELS, [], { max_tokens: 2_000 }, false],
  [
    'a budget within the declared one',
    { ...LEVELS, budget: { min: 1_024, max: 8_192 } },
    [],
    { max_tokens: 2_000 },
    true,
  ],
  [
    'a budget beyond the declared one',
    { ...LEVELS, budget: { min: 1_024, max: 8_192 } },
    [],
    { max_tokens: 9_000 },
    false,
  ],
  ['hidden reasoning, which asks nothing of the endpoint', null, [], { exclude: true }, true],
];

it('an endpoint with a budget and no levels takes any effort where its wire has budgets (rule I113)', () => {
  const budget = { min: 1_024, max: 8_192 };
  const wired = (reasoning: ReasoningControls, dialect: 'chat' | 'messages') => ({
    ...thinker(reasoning),
    target: { dialect, baseUrl: 'http://a', upstreamId: 'x' },
  });
  const budgeted = wired({ mandatory: true, budget }, 'messages');
  for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const) {
    assert.equal(slugs({ reasoning: { effort } }, [budgeted]), ['a']);
  }
  assert.is(refused({ reasoning: { effort: 'none' } }, [budgeted]).status, 503);
  assert.is(refused({ reasoning: { effort: 'high' } }, [wired({ mandatory: true, budget }, 'chat')]).status, 503);
  const levels = wired({ mandatory: true, budget, efforts: ['low'] }, 'messages');
  assert.is(refused({ reasoning: { effort: 'high' } }, [levels]).status, 503);
});

for (const [what, declared, refuted, reasoning, served] of TABLE) {
  it(`${what} is ${served ? 'served' : 'refused'} (rule I113)`, () => {
    const endpoints = [thinker(declared, refuted)];
    if (served) return assert.equal(slugs({ reasoning }, endpoints), ['a']);
    const error = refused({ reasoning }, endpoints);
    assert.is(error.status, 503);
    assert.is(error.type, 'provider_overloaded');
    assert.match(error.message, /reasoning/);
  });
}

it('reasoning.effort and reasoning_effort route identically, and reasoning_effort takes precedence (rule I114)', () => {
  for (const effort of ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const) {
    for (const declared of [LEVELS, SWITCHED, null]) {
      const endpoints = [thinker(declared), at('b', { supportedParameters: ['reasoning'] }, { reasoning: SWITCHED })];
      const outcome = (body: object): unknown => {
        try {
          return slugs(body, endpoints);
        } catch (error) {
          return (error as { metadata: object }).metadata;
        }
      };
      assert.equal(outcome({ reasoning: { effort } }), outcome({ reasoning_effort: effort }));
      assert.equal(
        outcome({ reasoning: { effort: 'low' }, reasoning_effort: effort }),
        outcome({ reasoning_effort: effort }),
      );
    }
  }
});

it('reasoning is switched off at an endpoint that declares only enable_thinking, and honoured says so (rule I114)', () => {
  const model = { supportedParameters: ['enable_thinking'] };
  const switched = at('a', model, { reasoning: { mandatory: false } });
  assert.equal(slugs({ reasoning: { enabled: false } }, [switched]), ['a']);
  assert.equal(honoured(turnOf({ reasoning: { enabled: false } }), switched, 4_000), { reasoning: true });
  assert.equal(honoured(turnOf({ reasoning: { enabled: true } }), switched, 4_000), { reasoning: true });
  const refuted = { ...switched, ...evidence({ refutedEfforts: ['none'] }) };
  assert.is(refused({ reasoning: { enabled: false } }, [refuted]).status, 503);
});

it('honoured is false for enabled: true where nothing can be sent for it', () => {
  const turn = turnOf({ reasoning: { enabled: true } });
  assert.equal(honoured(turn, thinker({ efforts: ['low', 'none'], mandatory: false }), 4_000), { reasoning: false });
  assert.equal(honoured(turn, thinker({ mandatory: false, defaultEnabled: true }), 4_000), { reasoning: true });
  assert.equal(honoured(turn, thinker(LEVELS), 4_000), { reasoning: true });
  const messages = {
    ...thinker(SWITCHED),
    target: { dialect: 'messages', baseUrl: 'http://a', upstreamId: 'x' },
  } as const;
  assert.equal(honoured(turn, messages, 4_000), { reasoning: true });
});

it('the refusal names the effort and the reason (rule I113)', () => {
  const error = refused({ reasoning_effort: 'low' }, [thinker(LEVELS, ['low'])]);
  assert.equal(error.metadata.rejections, [
    {
      provider: 'a',
      endpoint: 'a',
      reason: 'reasoning_effort',
      member: 'reasoning_effort',
      detail: 'low: refuted by its newest check',
    },
  ]);
});

test.run();
