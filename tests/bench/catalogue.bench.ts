import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { cpuSeconds, listening } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { Settings } from './settings.ts';

const MODELS = 500;
const PROVIDERS = 4;
const IN_FLIGHT = 8;
const WARM_SECONDS = 3;
const LISTED_MS_MAX = 120_000;
const UNLIMITED = 1_000_000_000;
const RATIO_MAX = 3;

interface Server {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
}

/**
 * The public list of 500 models with 2,000 endpoints: CPU of the server for one answer, beside a static file server with
 * a file of the same bytes. Rounds alternate.
 */
export async function benchCatalogue({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const cluster = await stocked(simulator.port);
  const files = await listening('./bare-static.ts', [folder]);
  try {
    const node = cluster.connection()?.nodes[0];
    const ours: Server = { pid: node?.pid ?? 0, port: cluster.port, path: '/api/v1/models' };
    const bare: Server = { pid: files.pid, port: files.port, path: '/list' };
    const list = await listedFully(ours);
    writeFileSync(join(folder, 'list.json'), list);
    writeFileSync(join(folder, 'list.json.gz'), gzipSync(list));
    const figures: Figure[] = [];
    for (const encoding of ['identity', 'gzip']) {
      for (const side of [bare, ours]) await measure(side, encoding, WARM_SECONDS);
      const costs: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
      for (let round = 0; round < rounds; round++) {
        costs.bare.push(await measure(bare, encoding, seconds));
        costs.ours.push(await measure(ours, encoding, seconds));
      }
      figures.push({
        name: `list of ${MODELS} models, ${MODELS * PROVIDERS} endpoints, ${encoding}`,
        unit: 'us of CPU',
        ours: median(costs.ours),
        baseline: median(costs.bare),
        goal: { atMost: RATIO_MAX, of: 'ratio' },
        note: `${list.length} bytes; baseline: a static file of its size`,
      });
    }
    return figures;
  } finally {
    await cluster.stop();
    await files.stop();
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One node over four providers, each with every model. */
function stocked(port: number): Promise<LaunchedCluster> {
  const providers = Array.from({ length: PROVIDERS }, (_, nth) => ({
    slug: `p${nth}`,
    name: `Provider ${nth}`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    models: { data: Array.from({ length: MODELS }, (__, at) => model(at, nth)) },
  }));
  return LaunchedCluster.start({
    nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    providers,
  });
}

function model(nth: number, provider: number): object {
  const cost = (millionths: number): string => `0.${String(millionths).padStart(8, '0')}`;
  return {
    schema_version: '2.4',
    id: `author-${nth % 40}/model-${nth}`,
    name: `Author ${nth % 40}: Model ${nth}`,
    created: 1_700_000_000 + nth * 86_400,
    description: `Model ${nth} answers questions about text and pictures in many languages, with tools and schemas.`,
    tokenizer: 'Other',
    family: { id: `family-${nth % 60}`, name: `Family ${nth % 60}` },
    tags: ['chat', 'code'],
    input_modalities: [
      {
        type: 'text',
        supported_inputs: { max_context_length: { value: 131_072 } },
        pricing: [
          { type: 'prompt', unit: 'token', cost_usd: cost(10 + nth + provider) },
          { type: 'cached_prompt', unit: 'token', cost_usd: cost(1 + nth) },
        ],
      },
    ],
    output_modalities: [
      {
        type: 'text',
        supported_parameters: Object.fromEntries(
          ['max_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'seed', 'frequency_penalty', 'presence_penalty'].map(
            (name) => [name, { type: 'unknown' }],
          ),
        ),
        max_length: { value: 16_384 },
        pricing: [{ type: 'completion', unit: 'token', cost_usd: cost(40 + nth + provider) }],
      },
    ],
  };
}

/** Waits until every endpoint is listed. */
async function listedFully({ port, path }: Server): Promise<Buffer> {
  const until = performance.now() + LISTED_MS_MAX;
  for (;;) {
    const body = await read(port, path, 'identity', undefined).catch(() => Buffer.from('{"data":[]}'));
    const { data } = JSON.parse(body.toString()) as { readonly data: readonly { readonly endpoint_count: number }[] };
    if (data.length === MODELS && data.every(({ endpoint_count }) => endpoint_count === PROVIDERS)) return body;
    if (performance.now() > until) throw new Error(`only ${data.length} of ${MODELS} models are listed`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Microseconds of the server's CPU for one answer. */
async function measure({ pid, port, path }: Server, encoding: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const until = performance.now() + seconds * 1_000;
  const before = cpuSeconds(pid);
  let answered = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (; performance.now() < until; answered++) await read(port, path, encoding, agent);
    }),
  );
  agent.destroy();
  return ((cpuSeconds(pid) - before) / answered) * 1e6;
}

function read(port: number, path: string, encoding: string, agent: Agent | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': encoding };
    get({ host: '127.0.0.1', port, path, headers, ...(agent ? { agent } : {}) }, (response) => {
      if (response.statusCode !== 200) {
        void text(response).then((body) => reject(new Error(`the list is answered ${response.statusCode}: ${body}`)));
        return;
      }
      const zipped = response.headers['content-encoding'] ?? 'identity';
      if (zipped !== encoding) reject(new Error(`the list is encoded ${zipped} and not ${encoding}`));
      resolve(buffer(response));
    }).on('error', reject);
  });
}
