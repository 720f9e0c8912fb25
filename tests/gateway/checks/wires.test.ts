/** What checks and probes find of endpoints on every wire of providers, from the request to the endpoint's actor. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Endpoint, TURN_DIALECTS, type TurnDialect } from '../../../actors/terms/endpoint.ts';
import { testAbilities } from '../../../gateway/checks/abilities.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { bounded } from '../../support/bounded.ts';
import { Market } from './market.ts';

const it = bounded(test, 60_000);
const KEY = 'operator-key';

/** What the scheduled checks of each wire find, and where its providers list their models for which key. */
interface Row {
  /** The verdict of each check of an endpoint that declares what the wire has and does it; null: the wire shows none. */
  readonly checks: Readonly<Record<string, 'passed' | null>>;
  /** The wire has a form for a refusal: else it is a text like any other. */
  readonly refuses: boolean;
  readonly list: string;
  readonly credential: (headers: IncomingHttpHeaders) => unknown;
  readonly sent: string;
}

const SCHEMAS = {
  tools: 'passed',
  tool_dispatch: 'passed',
  structured_outputs: 'passed',
  'effort:none': 'passed',
  'effort:high': 'passed',
} as const;
const EVERY = { ...SCHEMAS, response_format: 'passed' } as const;
const BEARER: Pick<Row, 'credential' | 'sent'> = {
  credential: ({ authorization }) => authorization,
  sent: `Bearer ${KEY}`,
};
const ROWS: Readonly<Record<TurnDialect, Row>> = {
  chat: { checks: EVERY, refuses: true, list: '/models', ...BEARER },
  // Claude has no JSON without a schema.
  messages: {
    checks: SCHEMAS,
    refuses: true,
    list: '/models',
    credential: (headers) => [headers['x-api-key'], headers['anthropic-version']],
    sent: `${KEY},2023-06-01`,
  },
  responses: { checks: EVERY, refuses: true, list: '/models', ...BEARER },
  // A key that is no access key of Amazon's is a bearer token.
  bedrock: { checks: SCHEMAS, refuses: true, list: '/models', ...BEARER },
  // Ollama cannot be made to call a tool.
  ollama: {
    checks: { ...EVERY, tools: null, tool_dispatch: null },
    refuses: false,
    list: '/api/tags',
    ...BEARER,
  },
  cohere: { checks: EVERY, refuses: false, list: '/v1/models', ...BEARER },
  gemini: {
    checks: EVERY,
    refuses: true,
    list: '/models',
    credential: (headers) => headers['x-goog-api-key'],
    sent: KEY,
  },
  completions: { checks: {}, refuses: false, list: '/models', ...BEARER },
};

let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'a', keep: true });
});
test.after(() => simulator.close());

const PARAMETERS = ['reasoning', 'structured_outputs', 'tool_choice', 'tools'];

function declared(market: Market, dialect: TurnDialect, model: string, baseUrl = simulator.baseUrl): string {
  const target = { dialect, baseUrl, upstreamId: model };
  const asJson = ROWS[dialect].checks.response_format === undefined ? [] : ['response_format'];
  const supportedParameters = [...PARAMETERS, ...asJson];
  const reasoning = { efforts: ['high', 'none'], mandatory: false } as const;
  return market.declare('a', baseUrl, model, { supportedParameters, reasoning, target }).id;
}

interface Found {
  readonly endpoint: Endpoint;
  /** What the scheduled checks told its actor. */
  readonly told: readonly { readonly check: string; readonly verdict: string; readonly detail: string }[];
}

async function found(dialect: TurnDialect, model: string, baseUrl?: string): Promise<Found> {
  const market = new Market();
  const id = declared(market, dialect, model, baseUrl);
  await market.settle();
  await market.close();
  const told = market.sent.filter(({ type }) => type === 'check.observed');
  return { endpoint: market.shown(id), told: told as unknown as Found['told'] };
}

async function closedPort(): Promise<number> {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  return port;
}

for (const dialect of TURN_DIALECTS) {
  const { checks, refuses, list, credential, sent } = ROWS[dialect];

  it(`${dialect}: the scheduled checks pass where the provider does what is declared (rule C41)`, async () => {
    const { evidence, health } = (await found(dialect, 'flawed/none')).endpoint;
    assert.equal(Object.fromEntries(evidence.checks?.map(({ check, verdict }) => [check, verdict]) ?? []), checks);
    assert.equal([evidence.withheld, evidence.refutedEfforts, health], [[], [], 'unknown']);
  });

  it(`${dialect}: a refused answer, a refused model and a server that is down are told, and prove nothing (rule C40)`, async () => {
    const gone = `http://127.0.0.1:${await closedPort()}/v1`;
    if (refuses) {
      const { told, endpoint } = await found(dialect, 'flawed/refuses');
      assert.ok(told.some(({ detail }) => detail === 'it refused to answer'));
      assert.not.ok(told.some(({ verdict }) => verdict === 'failed'));
      assert.equal(endpoint.evidence.withheld, []);
    }
    for (const [model, detail, baseUrl] of [
      ['sim/missing', /the key or the model was refused/],
      ['sim/down', /it was overloaded|there was no answer/],
      ['flawed/none', /there was no answer/, gone],
    ] as const) {
      const { told, endpoint } = await found(dialect, model, baseUrl);
      const { evidence } = endpoint;
      assert.is(told.length, Object.keys(checks).length, model);
      for (const one of told) {
        assert.is(one.verdict, 'inconclusive', `${model} ${one.check}`);
        assert.match(one.detail, detail, `${model} ${one.check}`);
      }
      assert.equal([evidence.withheld, evidence.refutedEfforts], [[], []], model);
    }
  });

  it(`${dialect}: its own list of models is probed with its own key, and a refused key or a dead server is degraded (rule C39)`, async () => {
    const seen: { readonly url: string; readonly sent: unknown }[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      seen.push({ url, sent: credential(headers) });
      const status = String(credential(headers)) === sent ? (url === `/base${list}` ? 200 : 500) : 401;
      response.writeHead(status).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A failed test leaves it open.
    server.unref();
    const market = new Market();
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
    const id = declared(market, dialect, 'sim/fast', baseUrl);
    const rounds = async (): Promise<Endpoint> => {
      for (let round = 0; round < 2; round++) {
        market.actors.now += 60_000;
        await market.prober.round();
      }
      return market.shown(id);
    };
    market.key = KEY;
    assert.is((await rounds()).health, 'unknown');
    assert.equal(seen, Array(2).fill({ url: `/base${list}`, sent: seen[0]?.sent }));
    market.key = 'another';
    const refused = await rounds();
    assert.is(refused.health, 'degraded');
    assert.match(refused.healthReason, /401/);
    server.close();
    server.closeAllConnections();
    const dead = await rounds();
    assert.is(dead.health, 'down');
    assert.match(dead.healthReason, /refused|ECONNREFUSED/);
    await market.close();
  });
}

it('a call that the wire cannot demand counts where it is made (rule C43)', async () => {
  const { endpoint } = await found('ollama', 'sim/tools');
  const verdicts = endpoint.evidence.checks?.filter(({ check }) => check.startsWith('tool'));
  assert.equal(
    verdicts?.map(({ check, verdict }) => [check, verdict]),
    [
      ['tools', 'passed'],
      ['tool_dispatch', 'passed'],
    ],
  );
});

it('an endpoint that only continues texts is tried with a text: an answer, a stream and their counts', async () => {
  const market = new Market();
  const endpoint = market.shown(declared(market, 'completions', 'flawed/none'));
  const findings = await testAbilities(market.site, endpoint);
  assert.equal(
    findings.map(({ ability, works }) => [ability, works]),
    [
      ['text', true],
      ['stream', true],
      ['usage', true],
    ],
  );
  await market.close();
});

test.run();
