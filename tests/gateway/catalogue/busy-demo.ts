/** The demo's catalogue pages with figures in them, from no store and no clock: what a busy marketplace shows. */
import type { HalfHour } from '../../../actors/endpoint/history.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { listFamilies } from '../../../gateway/catalogue/families.ts';
import { catalogueModel } from '../../../gateway/catalogue/models.ts';
import { listProviders } from '../../../gateway/catalogue/providers.ts';
import { selectModels } from '../../../gateway/edge/query/filter-models.ts';
import { REACHES } from '../../../gateway/pages/catalogue/history-charts.ts';
import { modelContent } from '../../../gateway/pages/catalogue/model-page.ts';
import { modelsContent } from '../../../gateway/pages/catalogue/models-page.ts';
import type { Html } from '../../../gateway/pages/kit/html.ts';
import { layout } from '../../../gateway/pages/kit/layout.ts';
import { demoBoard } from './demo-board.ts';

const NOW = Date.UTC(2026, 10, 23, 7, 41);
const HALF_HOUR = 30 * 60_000;
const HEALTH = ['healthy', 'healthy', 'healthy', 'degraded', 'unknown', 'down'] as const;

/** A page of the measured demo by its path and query. */
export function busyPage(url: URL): Html {
  const { endpoints, providers } = BUSY;
  const id = url.pathname.slice('/models/'.length);
  const model = id === '' ? null : catalogueModel(endpoints, id);
  const frame = { current: '/models', person: null } as const;
  if (model !== null) {
    const reach = REACHES.find(({ days }) => String(days) === url.searchParams.get('days')) ?? REACHES[0];
    const drawn = model.endpoints.slice(0, 12);
    const histories = new Map(drawn.map((endpoint) => [endpoint.id, historyOf(endpoint)]));
    const history = { endpoints: drawn, histories, now: NOW, reach };
    const content = modelContent({ model, history, base: `${url.origin}/api/v1` });
    return layout({ ...frame, title: String(model.summary.name), content });
  }
  const query = new URLSearchParams({ limit: '24', ...Object.fromEntries(url.searchParams) });
  const content = modelsContent({
    query: url.searchParams,
    selection: selectModels(endpoints, query, NOW),
    problem: null,
    families: listFamilies(endpoints).map(({ id: value, name }) => ({ value: String(value), text: String(name) })),
    providers: listProviders(providers, endpoints).map(({ slug, name }) => ({
      value: String(slug),
      text: String(name),
    })),
  });
  return layout({ ...frame, title: 'Models', content });
}

/** A number from 0 to 1 for a text: the same at every run. */
function chance(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

function measured(endpoint: Endpoint): Endpoint {
  const luck = chance(endpoint.id);
  const health = HEALTH[Math.floor(luck * HEALTH.length)] as Endpoint['health'];
  if (health === 'unknown') return endpoint;
  const seconds = 0.2 + luck;
  const spread = (p50: number) => ({ p50, p75: p50 * 1.3, p90: p50 * 1.8, p99: p50 * 4 });
  const floors = (p50: number) => ({ p50, p75: p50 * 0.9, p90: p50 * 0.8, p99: p50 * 0.5 });
  const uptime = { healthy: 99.82, degraded: 84.1, down: 31.7 }[health];
  return {
    ...endpoint,
    health,
    evidence: { ...endpoint.evidence, toolCallSuccess1d: luck > 0.3 ? 97.5 : null, toolCallSuccess1dSamples: 40 },
    measured: {
      ...endpoint.measured,
      ...{ uptime5m: uptime, uptime30m: uptime, uptime1d: uptime, uptime7d: uptime },
      ...{ ttft30m: spread(seconds), ttft1d: spread(seconds), ttft30mSamples: 420 },
      ...{ throughput30m: floors(40 + 90 * luck), throughput30mSamples: 380 },
    },
  };
}

/** Seven days of half hours with quiet nights and one incident; nothing for an endpoint that is unknown. */
function historyOf({ id, health }: Endpoint): readonly HalfHour[] {
  if (health === 'unknown') return [];
  const newest = Math.floor(NOW / HALF_HOUR) * HALF_HOUR;
  const all = Array.from({ length: 336 }, (_, nth) => newest - (335 - nth) * HALF_HOUR);
  return all.flatMap((start, nth) => {
    const luck = chance(`${id} ${nth}`);
    const requests = Math.round(30 + 25 * Math.sin(((start % 86_400_000) / 86_400_000) * 2 * Math.PI) + 20 * luck) - 8;
    if (requests <= 0) return [];
    const failing = nth > 318 && nth < 323 && chance(id) > 0.4;
    const error = failing ? Math.round(requests * 0.6) : luck > 0.95 ? 4 : 0;
    const p50 = (0.2 + chance(id)) * (failing ? 2.6 : 0.85 + 0.3 * luck);
    const ttft = requests < 5 ? null : { p50, p75: p50 * 1.2, p90: p50 * (1.4 + luck / 2), p99: p50 * 3 };
    return [{ start, success: requests - error, error, ttft, response: ttft, throughput: null }];
  });
}

const BUSY = busyDemo();

function busyDemo(): ReturnType<typeof demoBoard> {
  const { endpoints, providers } = demoBoard();
  const busy = [...endpoints].map(([id, endpoint]): [string, Json] => [
    id,
    measured(endpoint as unknown as Endpoint) as unknown as Json,
  ]);
  return { endpoints: new Map(busy), providers };
}
