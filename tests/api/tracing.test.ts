/** Traces from the edge over the owner's node to the provider, as a collector receives them. */
import { execFileSync } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';
import { ROOT } from '../support/sources.ts';

const it = bounded(test);

interface Received {
  readonly name: string;
  readonly node: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const spans: Received[] = [];
let collector: Server;
let cluster: TestCluster;

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: number | string;
    readonly doubleValue?: number;
    readonly arrayValue?: { readonly values: readonly { readonly stringValue: string }[] };
  };
}

function named(attributes: readonly Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, boolValue, arrayValue, doubleValue, intValue }: Attribute['value']): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map((each) => each.stringValue);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

/** Keeps the spans of one OTLP/JSON request. */
function keep(text: string, headers: IncomingHttpHeaders): void {
  assert.is(headers['content-type'], 'application/json');
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: {
      resource: { attributes: Attribute[] };
      scopeSpans: { spans: (Omit<Received, 'node' | 'attributes'> & { attributes?: Attribute[] })[] }[];
    }[];
  };
  for (const { resource, scopeSpans } of resourceSpans) {
    const node = String(named(resource.attributes)['service.instance.id']);
    for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
      spans.push({ ...span, parentSpanId: span.parentSpanId ?? '', node, attributes: named(span.attributes) });
    }
  }
}

test.before(async () => {
  collector = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    assert.is(request.url, '/v1/traces');
    keep(text, request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  cluster = await startCluster({
    nodes: 2,
    tracing: { url: `http://127.0.0.1:${port}/v1/traces`, percent: 100 },
  });
});
test.after(async () => {
  await cluster.close();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
});

/** The node that owns the account, and the public address of the other one. */
function ownerOf(account: string): { readonly owner: string; readonly elsewhere: string } {
  const at = cluster.nodes.findIndex((node) => node.cluster.owns(account));
  return { owner: cluster.nodes[at]?.name as string, elsewhere: cluster.baseUrls[1 - at] as string };
}

async function spansOf(traceId: string, enough: (found: readonly Received[]) => boolean): Promise<readonly Received[]> {
  for (;;) {
    const found = spans.filter((span) => span.traceId === traceId);
    if (enough(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it('one completion is one trace: the request, the asks, the steps at the owner on another node, the call', async () => {
  const { account, key } = await cluster.fund('10');
  const { owner, elsewhere } = ownerOf(account);
  const answer = await fetch(`${elsewhere}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${PARENT}-01`,
    },
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'a secret prompt' }] }),
  });
  assert.is(answer.status, 200);
  await answer.text();
  const names = [
    'POST /api/v1/chat/completions',
    'ask turn.admit',
    'step turn.admit',
    'chat sim/fast',
    'ask hold.settle',
  ];
  const found = await spansOf(TRACE, (all) =>
    [...names, 'step hold.settle'].every((name) => all.some((one) => one.name === name)),
  );
  const one = (name: string): Received => found.find((span) => span.name === name) as Received;
  const request = one('POST /api/v1/chat/completions');
  assert.is(request.parentSpanId, PARENT);
  assert.is(request.attributes['troupe.generation'], answer.headers.get('x-generation-id'));
  assert.is(request.attributes['http.response.status_code'], 200);
  for (const name of names.filter((other) => /^(ask|chat)/.test(other)))
    assert.is(one(name).parentSpanId, request.spanId);
  assert.is(one('step turn.admit').parentSpanId, one('ask turn.admit').spanId);
  assert.is(one('step turn.admit').node, owner);
  assert.is.not(request.node, owner);
  const call = one('chat sim/fast');
  const sent = cluster.simulators.flatMap((simulator) => simulator.calls);
  assert.is(sent.at(-1)?.headers.traceparent, `00-${TRACE}-${call.spanId}-01`);
  assert.not.match(JSON.stringify(found), /secret prompt|sk-/);
});

/** The calls of one request, once each has ended. */
async function callOf(trace: string, body: object): Promise<{ readonly call: Received; readonly account: string }> {
  const { account, key } = await cluster.fund('10');
  const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: `00-${trace}-${PARENT}-01`,
    },
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'a secret prompt' }], ...body }),
  });
  await answer.text();
  const isCall = ({ name }: Received): boolean => name === 'chat sim/fast';
  const found = await spansOf(trace, (all) => all.some(isCall) && all.some(({ name }) => name.startsWith('POST')));
  assert.not.match(JSON.stringify(found), /secret prompt|sk-/);
  return { call: found.find(isCall) as Received, account };
}

it('a call has the names of the conventions for generative AI, and no content (rule N59)', async () => {
  const { call, account } = await callOf('5'.repeat(32), { stream: true, max_tokens: 40 });
  const { attributes } = call;
  assert.equal(
    Object.fromEntries(
      ['operation.name', 'request.model', 'request.max_tokens', 'request.stream', 'response.finish_reasons'].map(
        (name) => [name, attributes[`gen_ai.${name}`]],
      ),
    ),
    {
      'operation.name': 'chat',
      'request.model': 'sim/fast',
      'request.max_tokens': 40,
      'request.stream': true,
      'response.finish_reasons': ['stop'],
    },
  );
  for (const name of ['gen_ai.provider.name', 'gen_ai.response.model', 'gen_ai.response.id', 'troupe.endpoint'])
    assert.type(attributes[name], 'string', name);
  for (const name of ['usage.input_tokens', 'usage.output_tokens', 'response.time_to_first_chunk'])
    assert.ok((attributes[`gen_ai.${name}`] as number) > 0, name);
  assert.equal([attributes['server.address'], typeof attributes['server.port']], ['127.0.0.1', 'number']);
  assert.is(attributes['troupe.account'], account);
  assert.match(attributes['troupe.cost'] as string, /^0\.\d+$/);
  assert.is(attributes['error.type'], undefined);
});

it('a call that failed names its category, and has no charge', async () => {
  const content = '@sim {"id":"failed-call","status":400}';
  const { call } = await callOf('6'.repeat(32), { messages: [{ role: 'user', content }] });
  assert.type(call.attributes['error.type'], 'string');
  assert.is(call.attributes['troupe.cost'], undefined);
});

it('a request without a trace begins one, and so does one with a malformed header', async () => {
  const before = spans.length;
  for (const traceparent of ['', '00-zz-00-01', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`]) {
    await (await fetch(`${cluster.baseUrls[0]}/models`, { headers: traceparent ? { traceparent } : {} })).text();
  }
  for (;;) {
    const roots = spans.slice(before).filter(({ name }) => name === 'GET /api/v1/models');
    if (roots.length === 3) {
      assert.ok(roots.every(({ parentSpanId }) => parentSpanId === ''));
      assert.is(new Set(roots.map(({ traceId }) => traceId)).size, 3);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('without a collector nothing is loaded, and a request is not traced', async () => {
  const program = `
    const { openTracing } = await import('./gateway/operator/tracing/open-tracing.ts');
    if ((await openTracing({ url: null, percent: 100 }, 'n1')) !== null) throw new Error('a tracing');
    const { createRequire } = await import('node:module');
    const { cache } = createRequire(process.cwd() + '/x.js');
    const loaded = () => Object.keys(cache).some((file) => file.includes('opentelemetry'));
    const off = loaded();
    const tracing = await openTracing({ url: 'http://127.0.0.1:9/v1/traces', percent: 100 }, 'n1');
    process.stdout.write(String(off) + ' ' + String(loaded()));
    await tracing.close();
  `;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
  assert.is(out.toString(), 'false true');
});

test.run();
