import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import {
  benchmarks,
  benchmarksNote,
  throughput,
  timeToFirstToken,
  toolCallSuccess,
  uptime,
} from '../../catalogue/measured.ts';
import { type CatalogueModel, retainsNothing } from '../../catalogue/models.ts';
import { type Html, html } from '../kit/html.ts';
import { badge, facts, figures, section, table } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';
import { idText } from '../kit/parts/text.ts';
import { firstTokenChart, priceChart, throughputChart } from './endpoint-charts.ts';
import { endpointName, percentText, rateText, secondsText } from './figure-text.ts';
import { type HistoryParts, historyCharts, REACHES, type Reach } from './history-charts.ts';
import { alignedPrices, conditionalPrices, type PriceLine, perMillionText, priceLines } from './price-text.ts';
import { snippets } from './snippets.ts';

/** One model: its endpoints side by side, their history, prices and speed, a request to paste, what it is. */
interface ModelPage {
  readonly model: CatalogueModel;
  readonly history: HistoryParts;
  /** Address of the API. */
  readonly base: string;
}

export function modelContent({ model, history, base }: ModelPage): Html {
  const { id, summary, endpoints } = model;
  const description = typeof summary.description === 'string' ? summary.description : '';
  const author = String(summary.author);
  return html`<div><nav class="crumbs" aria-label="Path"><a href="/models">Models</a> / <a href="/models?${new URLSearchParams({ model_authors: author }).toString()}">${author}</a></nav>
<h1>${String(summary.name)}</h1>
<p>${idText(id)}</p>
${description !== '' && html`<p class="muted">${description}</p>`}</div>
${headline(model)}
${section('Endpoints', endpointTable(endpoints))}
${section('History', historyPart(model, history), reaches(id, history.reach))}
<div class="columns thirds">
${section('Price', priceChart(endpoints))}
${section('First token', firstTokenChart(endpoints))}
${section('Throughput', throughputChart(endpoints))}
</div>
<div class="columns">
${section('Request', snippets(model, { base }))}
${section('Model', modelFacts(model))}
</div>
${section('All prices', priceTable(endpoints))}
${benchmarkPart(endpoints)}`;
}

/** What a visitor compares models by: the cheapest prices, the longest window, the best uptime. */
function headline({ summary, endpoints }: CatalogueModel): Html {
  const [cheapest] = endpoints;
  const uptimes = endpoints.flatMap((endpoint) => uptime(endpoint, '1d').value ?? []);
  const lengths = endpoints.flatMap(({ completionTokensMax }) => completionTokensMax ?? []);
  const released = new Date(summary.created * 1_000).toISOString().slice(0, 10);
  return figures([
    ...headlinePrices(cheapest?.tariff ?? null),
    ['Context', countText(Math.max(...endpoints.map(({ contextLength }) => contextLength))), 'tokens'],
    ...(lengths.length === 0 ? [] : [['Longest output', countText(Math.max(...lengths)), 'tokens'] as const]),
    ['Endpoints', endpoints.length, uptimes.length === 0 ? undefined : `uptime ${percentText(Math.max(...uptimes))}`],
    ['Released', released],
  ]);
}

function headlinePrices(tariff: Endpoint['tariff'] | null): readonly (readonly [string, string, string])[] {
  if (tariff === null) return [];
  if (tariff.prompt !== undefined || tariff.completion !== undefined) {
    return [
      ['Input from', perMillionText(tariff.prompt), 'per M tokens'],
      ['Output from', perMillionText(tariff.completion), 'per M tokens'],
    ];
  }
  return priceLines(tariff)
    .slice(0, 2)
    .map(({ name, price, per }) => [name, price, `per ${per}`] as const);
}

function modelFacts({ summary, endpoints }: CatalogueModel): Html {
  const family = summary.family as { readonly id: string; readonly name: string } | undefined;
  const tags = (summary.tags as readonly string[]) ?? [];
  const union = (of: (endpoint: Endpoint) => readonly string[]) => [...new Set(endpoints.flatMap(of))];
  const marks = (names: readonly string[]) => html`${names.map((name) => html`<span class="badge">${name}</span> `)}`;
  return facts([
    [
      'Family',
      family && html`<a href="/models?${new URLSearchParams({ family: family.id }).toString()}">${family.name}</a>`,
    ],
    ['Ends', endpoints.find(({ expiresOn }) => expiresOn !== undefined)?.expiresOn],
    ['Reads', marks(union(({ inputModalities }) => inputModalities))],
    ['Writes', marks(union(({ outputModalities }) => outputModalities))],
    ['Tags', tags.length > 0 && marks(tags)],
    ['Tokenizer', endpoints[0]?.tokenizer],
    [
      'Parameters',
      html`<span class="codes">${union(({ supportedParameters }) => supportedParameters).map((name) => html`<code>${name}</code> `)}</span>`,
    ],
  ]);
}

function endpointTable(endpoints: readonly Endpoint[]): Html {
  const [inputs, outputs] = [
    alignedPrices(endpoints.map(({ tariff }) => tariff.prompt)),
    alignedPrices(endpoints.map(({ tariff }) => tariff.completion)),
  ];
  return table({
    caption: 'Endpoints of the model, cheapest first',
    columns: [
      'Provider',
      { number: 'Input / M' },
      { number: 'Output / M' },
      { number: 'Context' },
      { number: 'Max output' },
      { number: 'First token' },
      { number: 'Tokens/s' },
      { number: 'Uptime' },
      { number: 'Tool calls' },
      'Data kept',
    ],
    rows: endpoints.map((endpoint, at) => {
      const { contextLength, completionTokensMax } = endpoint;
      return [
        html`<span class="who">${endpointName(endpoint)} ${healthBadge(endpoint)}</span>`,
        inputs[at],
        outputs[at],
        countText(contextLength),
        completionTokensMax === null ? '–' : countText(completionTokensMax),
        secondsText(timeToFirstToken(endpoint, '30m').value?.p50),
        rateText(throughput(endpoint, '30m').value?.p50),
        percentText(uptime(endpoint, '1d').value),
        percentText(toolCallSuccess(endpoint).value),
        retention(endpoint),
      ];
    }),
    empty: 'No endpoint serves this model.',
  });
}

function retention(endpoint: Endpoint): string {
  if (retainsNothing(endpoint)) return 'nothing';
  const days = endpoint.dataPolicy?.retentionDays ?? null;
  if (days === null) return '–';
  return days === 0 ? 'nothing' : `${days} days`;
}

function healthBadge({ health, paused }: Endpoint): Html {
  if (paused !== undefined) return badge('failed', 'paused');
  const tones = { healthy: 'completed', degraded: 'waiting', down: 'failed', unknown: 'unknown' } as const;
  return health === 'unknown' ? badge('unknown') : badge(tones[health], health);
}

function historyPart({ endpoints }: CatalogueModel, history: HistoryParts): Html {
  const drawn = history.endpoints.length;
  return html`${historyCharts(history)}
${endpoints.length > drawn && html`<p class="hint">The ${drawn} cheapest of ${endpoints.length} endpoints.</p>`}`;
}

function reaches(id: string, current: Reach): Html {
  const links = REACHES.map(({ days, text }) => {
    const path = `/models/${id}?days=${days}#history`;
    return days === current.days
      ? html`<li><a href="${path}" aria-current="true">${text}</a></li>`
      : html`<li><a href="${path}">${text}</a></li>`;
  });
  return html`<nav class="choices" id="history" aria-label="Time"><ul>${links}</ul></nav>`;
}

function priceTable(endpoints: readonly Endpoint[]): Html {
  return table({
    caption: 'Every declared price by endpoint',
    columns: ['Provider', 'Prices', 'Under conditions', { number: 'Discount' }],
    rows: endpoints.map((endpoint) => {
      const { tariff } = endpoint;
      const conditional = conditionalPrices(tariff);
      return [
        endpointName(endpoint),
        priceList(priceLines(tariff)),
        conditional.length === 0
          ? '–'
          : conditional.map(({ when, lines }) => html`<p class="hint">${when}</p>${priceList(lines)}`),
        discountText(tariff.discount),
      ];
    }),
    empty: 'No endpoint serves this model.',
  });
}

function priceList(lines: readonly PriceLine[]): Html {
  return html`<dl class="prices">${lines.map(({ name, price, per }) => html`<div><dt>${name}</dt><dd>${price} <span class="hint">/ ${per}</span></dd></div>`)}</dl>`;
}

/** A negative discount is a surcharge over the list price. */
function discountText(discount: number): string {
  const points = Math.round(discount * 10_000) / 100;
  return points === 0 ? '–' : points > 0 ? `${points} %` : `+${-points} %`;
}

function benchmarkPart(endpoints: readonly Endpoint[]): Html | null {
  const rows = endpoints.flatMap((endpoint) =>
    benchmarks(endpoint).map(({ dataset, score, sample_count }) => [
      endpointName(endpoint),
      dataset,
      percentText(score),
      countText(sample_count),
    ]),
  );
  if (rows.length === 0) return null;
  const columns = ['Provider', 'Data set', { number: 'Score' }, { number: 'Answers' }];
  return section(
    'Benchmarks',
    html`${table({ caption: 'Benchmarks', columns, rows, empty: '' })}<p class="hint">${benchmarksNote(endpoints)}</p>`,
  );
}
