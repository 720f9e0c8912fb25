import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../../../cluster.config.ts';
import { ConfigError } from '../../../../gateway/operator/config/config-error.ts';
import { type LoadOptions, loadConfig } from '../../../../gateway/operator/config/load.ts';
import { storeChoice } from '../../../../gateway/operator/config/store-choice.ts';
import { validate } from '../../../../gateway/operator/config/validate.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-config-'));
test.after(() => rmSync(folder, { recursive: true }));

const REQUEST = { type: 'request', unit: 'request' };
const PROVIDER = { slug: 'x', name: 'X', baseUrl: 'https://x.test/v1', models: { data: [MODEL] } };

let files = 0;
function file(content: unknown, name = `config-${++files}.json`): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (options: Partial<LoadOptions> = {}) => loadConfig({ cwd: folder, env: {}, ...options });

async function faultOf(options: Partial<LoadOptions>): Promise<string> {
  try {
    await load(options);
  } catch (error) {
    assert.instance(error, ConfigError);
    const { message } = error as ConfigError;
    assert.not.match(message, /\n/);
    return message;
  }
  throw new Error('the configuration was taken');
}

it('without a file the default configuration is loaded, its folder absolute', async () => {
  const config = await load();
  assert.equal({ ...config, data: defaults.data }, defaults);
  assert.is(config.data, join(folder, 'data'));
  // Only a file's changes are validated at run time.
  validate(defaults, 'the default');
});

it('the secret of a sign-in by OpenID Connect is a private file beside the configuration', async () => {
  const oidc = {
    issuer: 'https://id.test',
    clientId: 'troupe',
    clientSecretFile: 'oidc-secret',
    origin: 'https://ops.test',
    claim: 'groups',
    operators: ['ops'],
    viewers: [],
  };
  const written = file({ operator: { oidc } });
  assert.match(await faultOf({ file: written }), /operator\.oidc\.clientSecretFile: .*oidc-secret does not exist$/);
  writeFileSync(join(folder, 'oidc-secret'), 's3cret\n', { mode: 0o644 });
  assert.match(await faultOf({ file: written }), /has mode 0644, so that other users have access/);
  chmodSync(join(folder, 'oidc-secret'), 0o600);
  const { operator } = await load({ file: written });
  assert.equal(operator.oidc, { ...oidc, clientSecretFile: join(folder, 'oidc-secret') });
  const slashed = file({ operator: { oidc: { ...oidc, origin: 'https://ops.test/' } } });
  assert.match(await faultOf({ file: slashed }), /operator\.oidc/);
  const partial = file({ operator: { oidc: { ...oidc, claim: undefined } } });
  assert.match(await faultOf({ file: partial }), /operator\.oidc/);
});

it('a file is merged over the default member by member, and lists replace the default', async () => {
  const config = await load({
    file: file({
      runtime: { heartbeatMs: 100 },
      nodes: [{ name: 'only', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
    }),
  });
  assert.is(config.runtime.heartbeatMs, 100);
  assert.is(config.runtime.staleMs, defaults.runtime.staleMs);
  assert.equal(
    config.nodes.map(({ name }) => name),
    ['only'],
  );
});

it('an ES module is loaded by its default export', async () => {
  const config = await load({ file: file('export default { edge: { requestsMax: 7 } };', 'a.mjs') });
  assert.is(config.edge.requestsMax, 7);
});

it('the command line takes precedence over the file; a data folder in the file is relative to the file', async () => {
  const path = file({ data: 'there', listen: { port: 1 } });
  const fromFile = await load({ file: path, cwd: '/' });
  assert.is(fromFile.data, join(folder, 'there'));
  const given = await load({ file: path, data: 'here', port: 2 });
  assert.is(given.data, join(folder, 'here'));
  assert.is(given.listen.port, 2);
  assert.is(given.listen.host, defaults.listen.host);
});

it('the loaded configuration is deeply frozen', async () => {
  const config = await load({ file: file({ providers: [PROVIDER] }) });
  assert.throws(() => Object.assign(config.runtime, { shards: 1 }), /read only/);
  assert.throws(() => (config.providers as unknown[]).push(1), /not extensible/);
});

const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  [
    'an unknown member, with a suggestion',
    { runtime: { shrads: 1 } },
    /runtime\.shrads is an unknown member; did you mean shards\? Otherwise remove it/,
  ],
  ['an unknown member at the top', { nonsense: 1 }, /nonsense is an unknown member; remove it \(known here: .*nodes/],
  [
    'a number written as text',
    { edge: { requestsMax: '5' } },
    /edge\.requestsMax is "5" and must be a whole number, 1 or more/,
  ],
  ['a time of zero', { upstream: { connectMs: 0 } }, /upstream\.connectMs is 0 and must be milliseconds/],
  [
    'a percentage above 100',
    { rates: { partPercentMax: 101 } },
    /rates\.partPercentMax is 101 and must be a percentage, a whole number from 1 to 100/,
  ],
  [
    'an allowed target with a path',
    { webhooks: { allowedTargets: ['https://hooks.internal/x'] } },
    /webhooks\.allowedTargets\[0\] is "https:\/\/hooks\.internal\/x" and must be an origin such as/,
  ],
  [
    'an allowed target that is never equal to an origin',
    { webhooks: { allowedTargets: ['https://hooks.internal:443'] } },
    /webhooks\.allowedTargets\[0\] is https:\/\/hooks\.internal:443, .*; write https:\/\/hooks\.internal$/,
  ],
  [
    'a range that is none',
    { webhooks: { refusedHosts: ['10.0.0.0/33'] } },
    /webhooks\.refusedHosts\[0\] is 10\.0\.0\.0\/33, which is not a range of addresses/,
  ],
  ['a port out of range', { listen: { port: 70_000 } }, /listen\.port is 70000 and must be a port/],
  ['an empty list of nodes', { nodes: [] }, /nodes is \[\] and must be a list of at least one node/],
  [
    'a node without an address',
    { nodes: [{ name: 'n1', grpc: 'x:1' }] },
    /nodes\[0\]\.operator is missing; add it as host:port/,
  ],
  ['two nodes of one name', { nodes: [node('a'), node('a')] }, /nodes\[1\]\.name is "a", which is taken already/],
  [
    'a provider slug in capitals',
    { providers: [{ ...PROVIDER, slug: 'X' }] },
    /providers\[0\]\.slug is "X" and must be lower case/,
  ],
  [
    'a price that is a number',
    { providers: [{ ...PROVIDER, models: { data: [{ ...MODEL, pricing: [{ ...REQUEST, cost_usd: 0.1 }] }] } }] },
    /providers\[0\]\.models: data\[0\]\.pricing\[0\]\.cost_usd is 0\.1 and must be a decimal number as text/,
  ],
  [
    'an invalid partition',
    { workspace: { partition: 'all' } },
    /workspace\.partition is "all" and must be "model" or "none"/,
  ],
  ['a section that is not an object', { runtime: 5 }, /runtime is 5 and must be an object/],
  ['a __proto__ member', '{"__proto__": {"data": "x"}}', /__proto__ is an unknown member/],
  [
    'heartbeats slower than the dead-node bound allows',
    { runtime: { heartbeatMs: 3_000 } },
    /runtime\.staleMs is \d+ and must be at least three times/,
  ],
  ['a list', [], /must be an object/],
  ['invalid JSON', '{ nodes: ', /is not valid JSON/],
];

function node(name: string): unknown {
  return { name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' };
}

for (const [what, content, expected] of WRONG) {
  it(`refused in one line that names file, member and remedy: ${what} (rule N38)`, async () => {
    const path = file(content);
    const message = await faultOf({ file: path });
    assert.match(message, expected);
    assert.ok(message.startsWith(path));
  });
}

it('a missing file is named', async () => {
  assert.match(await faultOf({ file: 'nowhere.json' }), /nowhere\.json: there is no such file; give --config/);
});

it('a module without a default export is refused', async () => {
  assert.match(await faultOf({ file: file('export const x = 1;', 'b.mjs') }), /has no default export/);
});

it('the file of a models document is relative to the configuration; the nodes read it', async () => {
  const config = await load({ file: file({ providers: [{ ...PROVIDER, models: 'sub/models.json' }] }) });
  assert.is(config.providers[0]?.models, join(folder, 'sub', 'models.json'));
});

it('a models document at an address is left for the catalogue to fetch', async () => {
  const models = 'https://x.test/models.json';
  const config = await load({ file: file({ providers: [{ ...PROVIDER, models }] }) });
  assert.is(config.providers[0]?.models, models);
});

it('a provider whose key is not in the environment is refused, unless env is null', async () => {
  const path = file({ providers: [{ ...PROVIDER, apiKeyEnv: 'X_KEY' }] });
  assert.match(await faultOf({ file: path }), /providers\[0\]\.apiKeyEnv names X_KEY, which is not set; export X_KEY=/);
  assert.is((await load({ file: path, env: { X_KEY: 'secret' } })).providers.length, 1);
  assert.is((await load({ file: path, env: null })).providers.length, 1);
});

const RAIL = {
  ...{ facilitator: 'https://facilitator.example/x402', secretEnv: 'PAY_SECRET', network: 'eip155:8453' },
  ...{ asset: `0x${'ab'.repeat(20)}`, assetName: 'USDC', assetVersion: '2', assetDecimals: 6 },
  payTo: `0x${'cd'.repeat(20)}`,
};

it('a facilitator is called with a secret that is not empty, and over an encrypted connection (rule K49)', async () => {
  const path = file({ deposits: { x402: RAIL } });
  const named = /deposits\.x402\.secretEnv names PAY_SECRET, which is not set or empty; export PAY_SECRET=\.\.\. first/;
  for (const env of [{}, { PAY_SECRET: '' }, { PAY_SECRET: '   ' }]) {
    assert.match(await faultOf({ file: path, env }), named);
  }
  assert.match(
    await faultOf({ file: path, env: { PAY_SECRET: 'short' } }),
    /PAY_SECRET, whose value is shorter than 16/,
  );
  assert.match(
    await faultOf({ file: path, env: { PAY_SECRET: 'a secret with blanks' } }),
    /blanks or other characters/,
  );
  assert.ok((await load({ file: path, env: { PAY_SECRET: 'a-secret-that-is-long' } })).deposits.x402);
  assert.ok((await load({ file: path, env: null })).deposits.x402, 'commands look at no secret');
  for (const [facilitator, words] of [
    ['http://facilitator.example', /must begin with https/],
    ['https://me:secret@facilitator.example', /keep the secret in deposits\.x402\.secretEnv/],
    ['https://facilitator.example?key=1', /must end with its path/],
  ] as const) {
    const other = file({ deposits: { x402: { ...RAIL, facilitator } } });
    assert.match(await faultOf({ file: other, env: { PAY_SECRET: 'a-secret-that-is-long' } }), words);
  }
});

it('the bounds of a payment are in order', async () => {
  const path = file({ deposits: { minUsd: '20', maxUsd: '10' } });
  assert.match(await faultOf({ file: path }), /deposits\.minUsd is 20 and must be at most deposits\.maxUsd \(10\)/);
});

const NODE = { name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' };
const TLS = { ca: 'certs/ca.pem', certificate: '/etc/troupe/n1.pem', key: 'certs/n1.key' };

it('paths of certificates are relative to the configuration; the node reads them', async () => {
  const config = await load({
    file: file({ nodes: [{ ...NODE, grpc: '10.0.0.1:7000', tls: TLS }] }),
    cwd: '/elsewhere',
  });
  assert.equal(config.nodes[0]?.tls, {
    ca: join(folder, 'certs/ca.pem'),
    certificate: '/etc/troupe/n1.pem',
    key: join(folder, 'certs/n1.key'),
  });
});

const INTERFACES: readonly (readonly [string, object[], RegExp])[] = [
  [
    'links beyond loopback without a certificate',
    [{ ...NODE, grpc: '10.0.0.1:7000' }],
    /nodes\[0\]\.grpc is 10\.0\.0\.1:7000.*n1 has no certificate; add nodes\[0\]\.tls/,
  ],
  [
    'links on a host name without a certificate',
    [{ ...NODE, grpc: 'node-1:7000' }],
    /nodes\[0\]\.grpc.*add nodes\[0\]\.tls/,
  ],
  [
    'links on every interface',
    [{ ...NODE, grpc: '0.0.0.0:7000', tls: TLS }],
    /nodes\[0\]\.grpc is 0\.0\.0\.0:7000.*name one address of this host/,
  ],
  [
    'an operator port on every interface',
    [{ ...NODE, operator: '0.0.0.0:9000' }],
    /nodes\[0\]\.operator is 0\.0\.0\.0:9000.*not for the public; name a loopback or a private address/,
  ],
  [
    'an operator port on a public address',
    [NODE, { ...NODE, name: 'n2', operator: '8.8.8.8:9000' }],
    /nodes\[1\]\.operator/,
  ],
  [
    'certificates for some nodes only',
    [
      { ...NODE, tls: TLS },
      { ...NODE, name: 'n2' },
    ],
    /nodes\[1\]\.tls is missing.*give it to all or to none/,
  ],
  [
    'a certificate without its key',
    [{ ...NODE, tls: { ca: 'a', certificate: 'b' } }],
    /nodes\[0\]\.tls\.key is missing; add it as a PEM file/,
  ],
];

for (const [title, nodes, line] of INTERFACES) {
  it(`refused in one line: ${title}`, async () => assert.match(await faultOf({ file: file({ nodes }) }), line));
}

it('the operator port accepts loopback, private addresses and host names (rule N36)', async () => {
  for (const operator of [
    '127.0.0.1:0',
    '[::1]:0',
    '10.1.2.3:9000',
    '192.168.0.9:9000',
    '[fd00::1]:9000',
    'ops:9000',
  ]) {
    const config = await load({ file: file({ nodes: [{ ...NODE, operator }] }) });
    assert.is(config.nodes[0]?.operator, operator);
  }
});

it('PostgreSQL needs an address, from the file or from the variable it names, and consistent bounds', async () => {
  const kind = 'postgres';
  assert.match(await faultOf({ file: file({ store: { kind } }) }), /store\.kind is "postgres".*TROUPE_POSTGRES_URL/);
  assert.match(await faultOf({ file: file({ store: { kind, urlEnv: 'DB' } }) }), /export DB=postgres:/);
  const url = 'postgres://me@here:5432/db';
  const named = await load({ file: file({ store: { kind, urlEnv: 'DB' } }), env: { DB: url } });
  assert.is(named.store.url, undefined, 'the address from the variable stays out of the configuration');
  assert.equal(storeChoice(named, { DB: url }).kind, 'postgres');
  for (const env of [{ DB: 'me:secret@here/db' }, { DB: url, TROUPE_KEYS_URL: 'me:secret@here/keys' }]) {
    const fault = (error: Error): boolean =>
      /^the variable (DB|TROUPE_KEYS_URL) must begin with postgres:\/\//.test(error.message) &&
      !error.message.includes('secret');
    assert.throws(() => storeChoice(named, env), fault);
  }
  assert.is((await load({ file: file({ store: { kind, url } }) })).store.url, url);
  assert.match(await faultOf({ file: file({ store: { kind, url: 'mysql://x' } }) }), /store\.url/);
  assert.match(await faultOf({ file: file({ store: { kind: 'mongo' } }) }), /store\.kind.*"sqlite" or "postgres"/);
  assert.match(await faultOf({ file: file({ store: { postgres: { writers: 0 } } }) }), /store\.postgres\.writers/);
  assert.match(
    await faultOf({ file: file({ store: { postgres: { lockMs: 9_000 } } }) }),
    /lockMs 9000.*below the next/,
  );
  // A command against a running cluster does not need the address of its database.
  assert.is((await load({ file: file({ store: { kind } }), env: null })).store.kind, kind);
});

it('a preset gives its provider an address, and a provider without either is refused', async () => {
  const { baseUrl: _, ...unplaced } = PROVIDER;
  const provider = async (over: object) => {
    const { providers } = await load({ file: file({ providers: [{ ...unplaced, ...over }] }) });
    return providers[0];
  };
  assert.is((await provider({ preset: 'groq' }))?.baseUrl, 'https://api.groq.com/openai/v1');
  assert.is((await provider({ wire: { preset: 'groq' } }))?.baseUrl, 'https://api.groq.com/openai/v1');
  assert.is((await provider({ preset: 'groq', baseUrl: 'http://near/v1' }))?.baseUrl, 'http://near/v1');
  const fault = (over: object) => faultOf({ file: file({ providers: [{ ...unplaced, ...over }] }) });
  assert.match(await fault({}), /providers\[0\]\.baseUrl is missing; add it as an address such as https:\/\/api\.exa/);
  assert.match(await fault({ preset: 'azure' }), /baseUrl is missing; .*RESOURCE\.openai\.azure\.com/);
  const twice = { preset: 'groq', keyFile: 'k', keyCommand: ['print-key'] };
  assert.match(await fault(twice), /providers\[0\] has keyFile and keyCommand; keep one of them/);
  assert.match(await fault({ preset: 'groq', keyCommand: [] }), /keyCommand is .* must be a program and its arguments/);
  assert.match(await fault({ preset: 'grok' }), /preset is "grok" and must be one of/);
  assert.match(await fault({ preset: 'groq', wire: { omit: ['n'] } }), /providers\[0\]\.wire: n is always sent/);
});

test.run();
