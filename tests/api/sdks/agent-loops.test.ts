import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PRESETS, type Preset } from '../../../gateway/catalogue/presets/presets.ts';
import { startSimulator } from '../../../gateway/simulator/simulator.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../support/bounded.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { gatheredChat } from '../../support/stream/gathered-chat.ts';

/**
 * Agents of ten turns with thinking, a temperature and two calls each, through the clients of three dialects. The first
 * provider fails behind the fourth turn and the second one behind the seventh, so that `models` continues the
 * conversation over another wire. The simulators enforce the rules of each preset's provider: nothing is refused, and
 * nothing of the conversation is lost but what `honoured` reports. A wire joins by its preset.
 */
const it = bounded(test, 120_000);

type PresetName = keyof typeof PRESETS;
type Members = Readonly<Record<string, unknown>>;

/** A provider by its preset, and the wire that it speaks. */
interface Place {
  readonly name: PresetName;
  readonly dialect: Preset['dialect'];
}

const placeOf = (name: PresetName, dialect = PRESETS[name].dialect): Place => ({ name, dialect });
/** Providers of the chat wire that disagree about reasoning, ids and members. */
const CHAT: readonly Place[] = (['deepseek', 'mistral', 'groq'] as const).map((name) => placeOf(name));
const NATIVE = (Object.entries(PRESETS) as [PresetName, Preset][]).flatMap(([name, { dialect }], at, all) => {
  const isFirst = all.findIndex(([, other]) => other.dialect === dialect) === at;
  return dialect !== 'chat' && isFirst ? [placeOf(name)] : [];
});
/** Every wire beside chat, and a provider of the chat wire before every second of them. */
const RING = [...NATIVE, placeOf('openai', 'responses')].flatMap((place, at) =>
  at % 2 === 0 ? [CHAT[(at / 2) % CHAT.length] as Place, place] : [place],
);
/** Three providers in a row, beginning with each of the ring. */
const TRIPLES = RING.map((_, at) => [0, 1, 2].map((next) => RING[(at + next) % RING.length] as Place));

/** Turns of each phase. */
const PHASES = [4, 3, 3];
/** USD per million tokens of a prompt, and of an answer, at the first, second and third provider. */
const PRICES = [
  [1, 5],
  [2, 7],
  [3, 11],
] as const;
const PER_USD = 1_000_000;
const CALLS = 2;
/** The end of the name of earlier reasoning in `honoured`. */
const REASONING = /(reasoning|thinking)$/;
const SCHEMA = { type: 'object' as const, properties: { n: { type: 'integer' } } };

const simulator = await startSimulator({ name: 'sim-a', keep: true });

function slugOf(dialect: string, triple: number, place: number): string {
  return `loop-${dialect}-${triple}-${place}`;
}

function providerOf({ name: preset, dialect }: Place, slug: string, place: number): ProviderDeclaration {
  const { baseUrl, example } = PRESETS[preset];
  const { pathname } = new URL(baseUrl ?? example ?? '');
  const [prompt, completion] = PRICES[place] as (typeof PRICES)[number];
  const pricing = (type: string, perMillion: number) => [
    { type, unit: 'token', cost_usd: (perMillion / PER_USD).toFixed(6) },
  ];
  const every = ['temperature', 'top_p', 'seed', 'tools', 'parallel_tool_calls', 'reasoning'];
  return {
    slug,
    name: slug,
    preset,
    dialect,
    baseUrl: `http://127.0.0.1:${simulator.port}/strict/${preset}${pathname.replace(/\/$/, '')}`,
    models: {
      data: [
        {
          schema_version: '2.4',
          id: 'sim/agent',
          slug: `${slug}/agent`,
          name: slug,
          created: 1_750_000_000,
          input_modalities: [
            {
              type: 'text',
              supported_inputs: { max_context_length: { value: 100_000 } },
              pricing: pricing('prompt', prompt),
            },
          ],
          output_modalities: [
            {
              type: 'text',
              max_length: { value: 8_000 },
              supported_parameters: Object.fromEntries(every.map((name) => [name, { type: 'unknown' }])),
              pricing: pricing('completion', completion),
            },
          ],
        },
      ],
    },
  };
}

/** An answer as the loop needs it. */
interface Answer {
  /** Ids of its calls. */
  readonly calls: readonly string[];
  /** What a client adds to the conversation for it. */
  readonly history: readonly object[];
  readonly cost: number;
  /** Of a stream. */
  readonly honoured: Readonly<Record<string, boolean>> | undefined;
}

/** A client of one dialect. */
interface Agent {
  /** The name of earlier reasoning in `honoured`. */
  readonly reasoning: string;
  readonly ask: (models: readonly string[], conversation: readonly object[], stream: boolean) => Promise<Answer>;
  readonly results: (calls: readonly string[], texts: readonly string[]) => readonly object[];
}

let cluster: TestCluster;
let funded: Funded;
let openai: OpenAI;
let anthropic: Anthropic;

const AGENTS: Readonly<Record<string, Agent>> = {
  chat: {
    reasoning: 'messages.reasoning',
    ask: async (models, messages, stream) => {
      const request = {
        ...{ models, messages, stream, temperature: 0.2, reasoning: { enabled: true }, max_completion_tokens: 4_000 },
        tools: [{ type: 'function', function: { name: 'find', parameters: SCHEMA } }],
      } as unknown as OpenAI.ChatCompletionCreateParams;
      const answer = await openai.chat.completions.create(request);
      const gathered = Symbol.asyncIterator in answer ? await gatheredChat(answer) : null;
      const message = gathered?.message ?? (answer as OpenAI.ChatCompletion).choices[0]?.message;
      const { usage, honoured } = (gathered?.last ?? answer) as Pick<Answer, 'honoured'> & { usage: unknown };
      const calls = (message as OpenAI.ChatCompletionMessage).tool_calls ?? [];
      return { calls: calls.map(({ id }) => id), history: [message as object], honoured, cost: costOf(usage) };
    },
    results: (calls, texts) =>
      calls.map((tool_call_id, at) => ({ role: 'tool', tool_call_id, content: texts[at] as string })),
  },
  messages: {
    reasoning: 'messages.thinking',
    ask: async (models, messages, stream) => {
      const request = {
        ...{ model: models[0], models, messages, temperature: 0.2, max_tokens: 4_000 },
        tools: [{ name: 'find', input_schema: SCHEMA }],
      } as unknown as Anthropic.MessageCreateParamsNonStreaming;
      // The helper of the SDK keeps the members that it knows.
      let end: Partial<Pick<Answer, 'honoured'>> & { readonly usage?: unknown } = {};
      const events = stream ? anthropic.messages.stream(request) : null;
      events?.on('streamEvent', (event) => {
        if (event.type === 'message_delta') end = event as unknown as typeof end;
      });
      const { content, usage } = await (events?.finalMessage() ?? anthropic.messages.create(request));
      const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      return {
        calls,
        history: [{ role: 'assistant', content }],
        honoured: end.honoured,
        cost: costOf(end.usage ?? usage),
      };
    },
    results: (calls, texts) => {
      const content = calls.map((tool_use_id, at) => ({ type: 'tool_result', tool_use_id, content: texts[at] }));
      return [{ role: 'user', content }];
    },
  },
  responses: {
    reasoning: 'input.reasoning',
    ask: async (models, input, stream) => {
      const request = {
        ...{ models, input, temperature: 0.2, store: false, max_output_tokens: 4_000 },
        tools: [{ type: 'function', name: 'find', parameters: SCHEMA, strict: false }],
      } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming;
      const answer = stream
        ? await openai.responses.stream(request as Parameters<typeof openai.responses.stream>[0]).finalResponse()
        : await openai.responses.create(request);
      const { output, usage, honoured } = answer as OpenAI.Responses.Response & Pick<Answer, 'honoured'>;
      const calls = output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
      return { calls, history: output, honoured, cost: costOf(usage) };
    },
    results: (calls, texts) =>
      calls.map((call_id, at) => ({ type: 'function_call_output', call_id, output: texts[at] as string })),
  },
};

function costOf(usage: unknown): number {
  return (usage as { readonly cost: number }).cost;
}

test.before(async () => {
  const providers = Object.keys(AGENTS).flatMap((dialect) =>
    TRIPLES.flatMap((triple, at) =>
      triple.map((preset, place) => providerOf(preset, slugOf(dialect, at, place), place)),
    ),
  );
  cluster = await startCluster({ simulators: [], providers, rates: { keyPerMinute: 100_000 } });
  funded = await cluster.fund('100');
  const [baseURL = ''] = cluster.baseUrls;
  openai = new OpenAI({ apiKey: funded.key, baseURL, maxRetries: 0 });
  anthropic = new Anthropic({ authToken: funded.key, baseURL: baseURL.replace(/\/v1$/, ''), maxRetries: 0 });
});
test.after(async () => {
  await cluster.close();
  await simulator.close();
});

for (const [dialect, agent] of Object.entries(AGENTS)) {
  it(`ten turns through the client of ${dialect} lose nothing over three providers but what is reported`, async () => {
    const spentBefore = await spent();
    let cost = 0;
    for (const [at, triple] of TRIPLES.entries()) cost += await loop(agent, dialect, at, triple);
    assert.is(await spent(), spentBefore + cost);
  });
}

/** Plays one loop; returns what it cost, in millionths of a USD. */
async function loop(agent: Agent, dialect: string, at: number, triple: readonly Place[]): Promise<number> {
  const conversation: object[] = [];
  const said: string[] = [];
  let cost = 0;
  let turn = 0;
  for (const [place, turns] of PHASES.entries()) {
    // The provider of the phase before fails from now on.
    const failing = place === 0 ? {} : { only_on: triple[place - 1]?.name, status: 503 };
    const calls = Array.from({ length: CALLS }, (_, call) => ({
      name: 'find',
      arguments: `{"n":${place + 1}${call}}`,
    }));
    const question = `Step ${place} of ${slugOf(dialect, at, place)}.`;
    said.push(question);
    const directive = JSON.stringify({ reasoning_tokens: 2 + place, tool_calls: calls, ...failing });
    conversation.push({ role: 'user', content: `${question} @sim ${directive}` });
    const models = [Math.max(0, place - 1), place].map((each) => `${slugOf(dialect, at, each)}/agent`);
    const lost: boolean[] = [];
    const reported: boolean[] = [];
    for (let left = turns; left > 0; left--, turn++) {
      const answer = await agent.ask(models, conversation, turn % 2 === 1);
      const where = `${namesOf(triple)}: turn ${turn}`;
      lost.push(lostIn(answer, { said, turn, where, preset: (triple[place] as Place).name }));
      if (answer.honoured) reported.push(answer.honoured[agent.reasoning] === false);
      cost += chargeOf(answer, place, where);
      const results = answer.calls.map((_, call) => `result ${turn}-${call}`);
      assert.is(results.length, CALLS, where);
      said.push(...calls.map(({ arguments: given }) => given), ...results);
      conversation.push(...answer.history, ...agent.results(answer.calls, results));
    }
    const phase = `${namesOf(triple)}, phase ${place}: reasoning`;
    if (lost.includes(true)) assert.ok(reported.includes(true), `${phase} is lost and not reported`);
    // A wire has a form for what came over it.
    if (place === 0) assert.not.ok(reported.includes(true), `${phase} is reported as lost`);
  }
  return cost;
}

function namesOf(places: readonly Place[]): string {
  return places.map(({ name, dialect }) => `${name} ${dialect}`).join(', ');
}

interface Kept {
  /** All that users, calls and results have said. */
  readonly said: readonly string[];
  /** Turns before this one; each thought. */
  readonly turn: number;
  readonly where: string;
  readonly preset: PresetName;
}

/** The provider that answered received all that was said. Returns whether reasoning of an earlier turn is missing. */
function lostIn(answer: Answer, { said, turn, where, preset }: Kept): boolean {
  const { provider, status, body } = simulator.calls.at(-1) ?? {};
  assert.equal([provider, status], [preset, 200], where);
  const text = plain(JSON.stringify(body));
  assert.equal(
    said.filter((each) => !text.includes(plain(each))),
    [],
    where,
  );
  const lost = Object.entries(answer.honoured ?? {}).flatMap(([name, held]) => (held ? [] : [name]));
  assert.equal(
    lost.filter((name) => !REASONING.test(name) && name !== 'temperature'),
    [],
    where,
  );
  return thoughtsIn(text) < turn;
}

/** Without the signs of nested JSON texts. */
function plain(text: string): string {
  return text.replace(/[\\" ]/g, '');
}

/** Answers whose thinking is in a body. */
function thoughtsIn(text: string): number {
  return text.match(/r1r2/g)?.length ?? 0;
}

/** What the answer was charged, in millionths of a USD, which is what its provider counted. */
function chargeOf({ cost }: Answer, place: number, where: string): number {
  const { prompt_tokens, completion_tokens } = { ...simulator.calls.at(-1)?.usage };
  const [prompt, completion] = PRICES[place] as (typeof PRICES)[number];
  const expected = Number(prompt_tokens) * prompt + Number(completion_tokens) * completion;
  assert.is(Math.round(cost * PER_USD), expected, where);
  return expected;
}

/** Charges of the account so far, in millionths of a USD. */
async function spent(): Promise<number> {
  const response = await fetch(`${cluster.baseUrls[0]}/credits`, {
    headers: { authorization: `Bearer ${funded.key}` },
  });
  const { data } = (await response.json()) as { readonly data: Members };
  return Math.round(Number(data.total_usage) * PER_USD);
}

test.run();
