/** Prompt counts of providers that nobody can believe, in each dialect: charged by our own count, marked and counted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { HoldRequest, Settlement } from '../../../actors/terms/hold.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { NO_MEASURES } from '../../../gateway/terms/measures.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { type Stage, stage } from '../stage.ts';
import { openScene, sim } from './scene.ts';
import { start } from './start.ts';

const it = bounded(test);
const scene = await openScene();
test.after(() => scene.close());

const WINDOW = 128_000;
const PICTURE = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

function endpoint(upstreamId: string, more: Partial<Endpoint> = {}): Endpoint {
  const plain = boardEndpoint('a', scene.a.baseUrl, { contextLength: WINDOW });
  const tariff = { id: 'tar_1', discount: 0, prompt: '0.000001', completion: '0.000001' };
  return { ...plain, tariff, target: { ...plain.target, upstreamId, ...more.target }, ...more } as Endpoint;
}

const WRITES = endpoint('sim/fast', {
  inputModalities: ['text', 'image'],
  inputs: { image: { sources: ['url'], containers: null } },
});
const PAINTS = endpoint('sim/painter', {
  outputModalities: ['text', 'image'],
  envelopes: { image: { sizes: ['500x400'], imagesMax: 4 } },
});
const EMBEDS = endpoint('sim/vectors', {
  outputModalities: ['embeddings'],
  target: { ...boardEndpoint('a', scene.a.baseUrl).target, dialect: 'embeddings', upstreamId: 'sim/vectors' },
});

/** The text of a directive. */
function textOf(directive: object): string {
  return (sim(directive) as { messages: readonly { content: string }[] }).messages[0]?.content as string;
}

interface Case {
  readonly dialect: keyof typeof DIALECTS;
  readonly served: Endpoint;
  readonly body: (text: string) => object;
}

const CASES: readonly Case[] = [
  { dialect: 'chat', served: WRITES, body: (content) => ({ messages: [{ role: 'user', content }] }) },
  { dialect: 'chat', served: WRITES, body: (content) => ({ messages: [{ role: 'user', content }], stream: true }) },
  { dialect: 'completions', served: WRITES, body: (prompt) => ({ prompt }) },
  {
    dialect: 'messages',
    served: WRITES,
    body: (content) => ({ messages: [{ role: 'user', content }], max_tokens: 50 }),
  },
  { dialect: 'responses', served: WRITES, body: (text) => ({ input: text }) },
  { dialect: 'images', served: PAINTS, body: (prompt) => ({ prompt }) },
  { dialect: 'embeddings', served: EMBEDS, body: (text) => ({ input: text }) },
];

interface Charged {
  readonly on: Stage;
  readonly hold: HoldRequest;
  readonly settlement: Settlement;
  readonly observed: ObservedAttempt;
  readonly refused: number;
  readonly counted: number;
  readonly reportedMax: number;
}

let generations = 0;

/** One turn from its body to its charge, whose provider reports these prompt tokens. */
async function charged({ dialect, served, body }: Case, reported: number): Promise<Charged> {
  let refused = 0;
  const measures = { ...NO_MEASURES, usageRefused: () => void refused++ };
  const on = stage({ endpoints: board(served), measures });
  const usage = { prompt_tokens: reported, prompt_tokens_details: null };
  const running = await start(on.services, {
    dialect: DIALECTS[dialect],
    body: { model: served.model, ...body(textOf({ tokens: 3, usage })) },
    session: null,
    generation: `gen-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: performance.now(),
  });
  const { receipt } = await endTurn(on.services, running);
  await on.end();
  const hold = on.asks.find(({ event }) => event.request)?.event.request as HoldRequest;
  const settlement = on.asks.find(({ event }) => event.settlement)?.event.settlement as Settlement;
  const told = on.tells.flatMap(({ event }) => (event as unknown as { attempts?: ObservedAttempt[] }).attempts ?? []);
  const { counted, reportedMax } = receipt.candidate.prompt;
  return { on, hold, settlement, observed: told[0] as ObservedAttempt, refused, counted, reportedMax };
}

for (const each of CASES) {
  const { dialect, body } = each;
  const what = 'stream' in body('') ? `streamed ${dialect}` : dialect;
  it(`${what}: a few words reported as 127,999 tokens are charged by our own count, within the hold, marked, and an error of the endpoint (rule K73)`, async () => {
    const { on, hold, settlement, observed, refused, counted } = await charged(each, WINDOW - 1);
    assert.is(settlement.promptTokens, counted);
    assert.ok(counted < 200 && compare(settlement.cost, hold.amount) <= 0, `${settlement.cost} of ${hold.amount}`);
    assert.is(settlement.promptTokensRefused, WINDOW - 1);
    assert.ok(settlement.estimated && settlement.unmeasured?.includes('prompt'));
    assert.equal([observed.outcome, observed.failure?.category], ['error', 'implausible_usage']);
    assert.match(observed.failure?.text ?? '', /^127999 prompt tokens are reported; \d+ are counted/);
    assert.is(refused, 1);
    assert.ok(on.logs.some((record) => (record as { message?: string }).message === 'implausible usage'));
  });
}

it('the bound itself is believed and charged above the hold, one token more is not; a believed count marks nothing', async () => {
  const [each] = CASES as readonly [Case];
  for (const more of [0, 1]) {
    // The count of the prompt depends on the digits of the report, which is part of its text.
    const { reportedMax } = await charged(each, 4_300);
    const { settlement, observed, refused, counted } = await charged(each, reportedMax + more);
    assert.is(settlement.promptTokens, more === 0 ? reportedMax : counted);
    assert.is(settlement.promptTokensRefused, more === 0 ? undefined : reportedMax + 1);
    assert.is(settlement.estimated, more === 1);
    assert.equal([observed.outcome, refused], more === 0 ? ['success', 0] : ['error', 1]);
  }
});

it('a prompt with a picture is believed up to four times the tokens of its hold', async () => {
  const each: Case = {
    ...{ dialect: 'chat', served: WRITES },
    body: (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }, PICTURE] }] }),
  };
  const { reportedMax } = await charged(each, 65_000);
  assert.ok(reportedMax > 4 * 16_384 && reportedMax < 4 * 17_000, String(reportedMax));
  assert.is((await charged(each, reportedMax)).settlement.promptTokens, reportedMax);
  const { settlement, counted } = await charged(each, reportedMax + 1);
  assert.equal([settlement.promptTokens, settlement.promptTokensRefused], [counted, reportedMax + 1]);
});

test.run();
