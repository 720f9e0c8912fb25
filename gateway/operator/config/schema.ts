/**
 * The schema of the configuration, checked once at start. Unknown members are refused: a misspelled bound would
 * otherwise silently keep its default.
 */
import { type TSchema, Type } from 'typebox';
import { TURN_DIALECTS } from '../../../actors/terms/endpoint.ts';
import { CHAIN_DAYS_MIN } from '../../../actors/terms/opening.ts';
import defaults from '../../../cluster.config.ts';
import { presetSchema, wireSchema } from '../../catalogue/presets/wire-schema.ts';

const closed = { additionalProperties: false } as const;

function record<T extends Record<string, TSchema>>(members: T) {
  return Type.Object(members, closed);
}

function text(description: string) {
  return Type.String({ minLength: 1, description });
}

const flag = Type.Boolean({ description: 'true or false' });
const count = Type.Integer({ minimum: 1, description: 'a whole number, 1 or more' });
const countOrNone = Type.Integer({ minimum: 0, description: 'a whole number, 0 or more' });
const percent = Type.Integer({ minimum: 1, maximum: 100, description: 'a percentage, a whole number from 1 to 100' });
const ms = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'milliseconds, a whole number, 1 or more' });
/** Compared with store time; unlike the others it becomes no delay of a timer, whose limit is 24 days. */
const retentionMs = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'milliseconds, a whole number, 1 or more',
});
/** At least a day: a repeat of a charge must still find its record. */
const days = Type.Integer({ minimum: 1, maximum: 36_500, description: 'days, a whole number from 1 to 36500' });
const daysOrEver = Type.Union([Type.Null(), days], {
  description: 'days, a whole number from 1 to 36500, or null to keep for ever',
});
const chainDaysOrEver = Type.Union([Type.Null(), Type.Integer({ minimum: CHAIN_DAYS_MIN, maximum: 36_500 })], {
  description: `days, a whole number from ${CHAIN_DAYS_MIN} to 36500, or null to keep for ever`,
});
const folderOrNone = Type.Union([Type.Null(), Type.String({ minLength: 1 })], {
  description: 'the path of a folder, or null for no export',
});
const port = Type.Integer({ minimum: 0, maximum: 65_535, description: 'a port, 0 to 65535 (0 takes a free one)' });
const hostPort = Type.String({
  pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):\\d{1,5}$',
  description: 'host:port, such as 127.0.0.1:0',
});
const slug = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
  description: 'lower case letters, digits and dashes',
});
const usd = Type.String({
  pattern: '^\\d{1,12}(\\.\\d{1,40})?$',
  description: 'a decimal number as text, such as "0.0000005"',
});

const address = Type.String({ pattern: '^https?://\\S+$', description: 'an address such as https://example.com' });

const provider = record({
  slug,
  name: text('the display name'),
  baseUrl: Type.Optional(
    Type.String({ pattern: '^https?://\\S+$', description: 'an address such as https://api.example.com/v1' }),
  ),
  apiKeyEnv: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      description: 'the name of an environment variable (never the key itself)',
    }),
  ),
  keyFile: Type.Optional(text('a file that holds the key')),
  keyCommand: Type.Optional(
    Type.Array(Type.String({ minLength: 1, description: 'a text' }), {
      minItems: 1,
      maxItems: 64,
      description: 'a program and its arguments, such as ["gcloud", "auth", "print-access-token"]',
    }),
  ),
  models: Type.Union([Type.String({ minLength: 1 }), Type.Object({})], {
    description: 'a models document: a file, an address, or {"data": [...]}',
  }),
  dialect: Type.Optional(
    Type.Union(
      TURN_DIALECTS.map((dialect) => Type.Literal(dialect)),
      {
        description: TURN_DIALECTS.map((dialect) => `"${dialect}"`).join(' or '),
      },
    ),
  ),
  preset: Type.Optional(presetSchema),
  wire: Type.Optional(wireSchema),
  zdr: Type.Optional(
    Type.Union([Type.Literal('approved'), Type.Literal('denied')], { description: '"approved" or "denied"' }),
  ),
  feeFraction: Type.Optional(
    Type.String({
      pattern: '^(0(\\.\\d{1,18})?|1)$',
      description: 'a decimal number as text from "0" to "1", such as "0.05"',
    }),
  ),
  website: Type.Optional(address),
  privacyPolicyUrl: Type.Optional(address),
  termsOfServiceUrl: Type.Optional(address),
  statusPageUrl: Type.Optional(address),
  headquarters: Type.Optional(
    Type.String({ pattern: '^[A-Z]{2}$', description: 'a two-letter country code such as DE' }),
  ),
});

const pem = text('a PEM file');

const variable = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  description: 'the name of an environment variable',
});

function postgresUrl(better: string) {
  return Type.String({
    pattern: '^postgres(ql)?://\\S+$',
    description: `an address such as postgres://user@host:5432/database (preferably in the variable that ${better} names)`,
  });
}

const store = record({
  kind: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')], { description: '"sqlite" or "postgres"' }),
  url: Type.Optional(postgresUrl('urlEnv')),
  urlEnv: variable,
  keysUrl: Type.Optional(postgresUrl('keysUrlEnv')),
  keysUrlEnv: variable,
  postgres: bounds(defaults.store.postgres),
});

const node = record({
  name: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
    description: 'lower case letters, digits and dashes, such as n1',
  }),
  grpc: hostPort,
  operator: hostPort,
  tls: Type.Optional(record({ ca: pem, certificate: pem, key: pem })),
});

/**
 * Derives the schema of a section of bounds from its defaults: every member is a switch or a number whose name gives
 * the unit (`...Ms` is a time, `...PercentMax` a percentage). A bound added to the defaults is checked without a change
 * here.
 */
function bounds(defaults: object) {
  const members = Object.entries(defaults).map(
    ([name, value]) => [name, bound(name, value as number | boolean)] as const,
  );
  return record(Object.fromEntries(members));
}

function bound(name: string, value: number | boolean): TSchema {
  if (typeof value === 'boolean') return flag;
  if (!Number.isInteger(value)) return Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' });
  if (name === 'retentionMs') return retentionMs;
  if (name.endsWith('Ms')) return ms;
  if (name.endsWith('PercentMax')) return percent;
  return value === 0 ? countOrNone : count;
}

const { allowedTargets: _, refusedHosts: __, ...webhookBounds } = defaults.webhooks;
const cidr = '[0-9a-fA-F.:]+/\\d{1,3}';

const { trustedProxies: ___, corsOrigins: _____, requestLog: ______, ...edgeBounds } = defaults.edge;

const edge = record({
  ...bounds(edgeBounds).properties,
  trustedProxies: Type.Array(
    Type.String({ pattern: `^${cidr}$`, description: 'an address range such as 10.0.0.0/8' }),
    {
      description: 'a list of address ranges',
    },
  ),
  corsOrigins: Type.Array(
    Type.String({
      pattern: '^https?://(\\[[0-9a-fA-F:]+\\]|[a-z0-9.-]+)(:\\d{1,5})?$',
      description: 'an origin such as https://app.example.com',
    }),
    { description: 'a list of origins' },
  ),
  requestLog: Type.Boolean({ description: 'true or false' }),
});

const webhooks = record({
  ...bounds(webhookBounds).properties,
  allowedTargets: Type.Array(
    Type.String({
      pattern: `^(https?://(\\[[0-9a-fA-F:]+\\]|[a-z0-9.-]+)(:\\d{1,5})?|${cidr})$`,
      description: 'an origin such as https://hooks.internal:8443, or a range such as 10.1.0.0/16',
    }),
    { description: 'a list of origins and address ranges' },
  ),
  refusedHosts: Type.Array(
    Type.String({
      pattern: `^([a-z0-9.-]+|${cidr})$`,
      description: 'a host name such as api.example.com, or a range such as 198.51.100.7/32',
    }),
    { description: 'a list of host names and address ranges' },
  ),
});

const { datasets: ____, ...benchmarkBounds } = defaults.benchmarks;

const benchmarks = record({
  ...bounds(benchmarkBounds).properties,
  datasets: Type.Array(text('a file'), { maxItems: 16, description: 'a list of at most 16 files' }),
});

const chainAddress = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'an address of 0x and 40 hex digits' });

const deposits = record({
  approvalAboveUsd: usd,
  minUsd: usd,
  maxUsd: usd,
  card: Type.Optional(record({ url: address })),
  x402: Type.Optional(
    record({
      facilitator: address,
      secretEnv: variable,
      network: Type.String({ pattern: '^eip155:[1-9][0-9]{0,19}$', description: 'a network such as eip155:8453' }),
      asset: chainAddress,
      assetName: text('the name of the coin'),
      assetVersion: text('the version of its contract'),
      assetDecimals: Type.Integer({ minimum: 0, maximum: 18, description: 'a whole number, 0 to 18' }),
      payTo: chainAddress,
    }),
  ),
  payments: bounds(defaults.deposits.payments),
});

export const configSchema = record({
  nodes: Type.Array(node, { minItems: 1, description: 'a list of at least one node' }),
  listen: record({ host: text('a host name or address'), port }),
  data: text('a folder'),
  store,
  runtime: bounds(defaults.runtime),
  activities: bounds(defaults.activities),
  edge,
  overload: bounds(defaults.overload),
  files: bounds(defaults.files),
  batches: bounds(defaults.batches),
  videos: bounds(defaults.videos),
  renders: bounds(defaults.renders),
  webhooks,
  deposits,
  events: bounds(defaults.events),
  signIn: bounds(defaults.signIn),
  rates: bounds(defaults.rates),
  upstream: bounds(defaults.upstream),
  checks: bounds(defaults.checks),
  benchmarks,
  launcher: bounds(defaults.launcher),
  operator: record({
    lowDiskBytes: countOrNone,
    oidc: Type.Union([
      Type.Null(),
      record({
        issuer: address,
        clientId: text('the id of this client at the issuer'),
        clientSecretFile: text('a file that holds the secret of this client'),
        origin: Type.String({
          pattern: '^https?://[^/\\s]+$',
          description: 'an origin such as https://ops.example.com',
        }),
        claim: text('the claim with the groups of a person'),
        operators: Type.Array(text('a group'), { description: 'groups' }),
        viewers: Type.Array(text('a group'), { description: 'groups' }),
      }),
    ]),
    builds: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,63}$' }), text('the folder of a build'), {
      description: 'folders of builds by name',
    }),
  }),
  tracing: record({
    url: Type.Union([Type.Null(), Type.String({ pattern: '^https?://[^\\s]+$' })], {
      description: 'the address of a collector such as http://127.0.0.1:4318/v1/traces, or null',
    }),
    percent,
  }),
  retention: record({
    generations: daysOrEver,
    activity: daysOrEver,
    history: days,
    ledger: chainDaysOrEver,
    audit: chainDaysOrEver,
    export: folderOrNone,
  }),
  workspace: record({
    zeroRetention: flag,
    partition: Type.Union([Type.Literal('model'), Type.Literal('none')], { description: '"model" or "none"' }),
  }),
  demo: record({
    enabled: flag,
    simulators: Type.Integer({ minimum: 0, maximum: 16, description: 'a whole number, 0 to 16' }),
    depositUsd: usd,
    traffic: flag,
  }),
  providers: Type.Array(provider, { description: 'a list of providers' }),
});
