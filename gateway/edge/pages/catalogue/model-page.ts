import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { compare } from '../../../../actors/terms/usd.ts';
import {
  benchmarks,
  benchmarksNote,
  throughput,
  timeToFirstToken,
  toolCallSuccess,
  uptime,
} from '../../../catalogue/measured.ts';
import { type CatalogueModel, retainsNothing } from '../../../catalogue/models.ts';
import { section } from '../account/account-page.ts';
import { type Html, html } from '../html.ts';
import { shareOfExact } from '../parts/bar-chart.ts';
import { badge, facts, table } from '../parts/elements.ts';
import { LEVEL_MAX, type Level, type LevelRow, levelBars, shareOf } from '../parts/level-bars.ts';
import { countText, durationText, usdText } from '../parts/text.ts';
import { perMillion, perMillionText, priceLines } from './price-text.ts';
import { snippets } from './snippets.ts';

/** One model: what it is, a request to paste, its endpoints side by side with their prices and speed. */
export function modelContent(model: CatalogueModel, base: string): Html {
  const { id, summary, endpoints } = model;
  const description = typeof summary.description === 'string' ? summary.description : '';
  return html`<div class="heading"><div><h1>${String(summary.name)}</h1>
<p class="id"><code id="model-id">${id}</code><button class="quiet small" type="button" data-copy="model-id" hidden>Copy<span class="unseen"> the id</span></button></p></div>
<a class="button second small" href="/models">All models</a></div>
${description !== '' && html`<p class="lead">${description}</p>`}
<div class="pair">
${section('Model', modelFacts(model))}
${section('Request', snippets(model, base))}
</div>
${section('Endpoints', endpointTable(endpoints))}
<div class="pair">
${section('Prices', priceChart(endpoints))}
${section('Speed', speedChart(endpoints))}
</div>
${section('All prices', priceTable(endpoints))}
${section('Benchmarks', benchmarkTable(endpoints))}`;
}

function modelFacts({ summary, endpoints }: CatalogueModel): Html {
  const family = summary.family as { readonly name: string } | undefined;
  const tags = (summary.tags as readonly string[]) ?? [];
  const union = (of: (endpoint: Endpoint) => readonly string[]) => [...new Set(endpoints.flatMap(of))].join(', ');
  return facts([
    ['Author', String(summary.author)],
    ['Family', family?.name],
    ['Released', new Date(summary.created * 1_000).toISOString().slice(0, 10)],
    ['Ends', endpoints.find(({ expiresOn }) => expiresOn !== undefined)?.expiresOn],
    ['Reads', union(({ inputModalities }) => inputModalities)],
    ['Writes', union(({ outputModalities }) => outputModalities)],
    ['Context', `${countText(Math.max(...endpoints.map(({ contextLength }) => contextLength)))} tokens`],
    ['Tokenizer', endpoints[0]?.tokenizer],
    ['Tags', tags.length > 0 && tags.join(', ')],
    ['Parameters', html`<span class="hint">${union(({ supportedParameters }) => supportedParameters)}</span>`],
  ]);
}

function endpointTable(endpoints: readonly Endpoint[]): Html {
  return table({
    caption: 'Endpoints of the model, cheapest first',
    columns: [
      ...['Provider', 'Health', { number: 'Context' }, { number: 'Output, most' }, 'Quantization'],
      ...[{ number: 'Input / M' }, { number: 'Output / M' }, { number: 'First token' }, { number: 'Tokens/s' }],
      ...[{ number: 'Uptime, day' }, { number: 'Tool calls' }, 'Retention'],
    ],
    rows: endpoints.map((endpoint) => {
      const { provider, health, contextLength, completionTokensMax, quantization, tariff, dataPolicy } = endpoint;
      const days = dataPolicy?.retentionDays;
      return [
        ...[provider.name, healthBadge(health), countText(contextLength)],
        ...[completionTokensMax === null ? '–' : countText(completionTokensMax), quantization ?? '–'],
        ...[perMillionText(tariff.prompt), perMillionText(tariff.completion)],
        ...[milliseconds(timeToFirstToken(endpoint, '30m').value?.p50), rate(throughput(endpoint, '30m').value?.p50)],
        ...[percent(uptime(endpoint, '1d').value), percent(toolCallSuccess(endpoint).value)],
        retainsNothing(endpoint) ? 'none' : days === undefined || days === null ? '–' : `${days} days`,
      ];
    }),
    empty: 'No endpoint serves this model.',
  });
}

function healthBadge(health: Endpoint['health']): Html {
  const tones = { healthy: 'completed', degraded: 'waiting', down: 'failed', unknown: 'unknown' } as const;
  return health === 'unknown' ? badge('unknown') : badge(tones[health], health);
}

function priceChart(endpoints: readonly Endpoint[]): Html {
  const prices = endpoints.map(({ tariff }) => [perMillion(tariff.prompt), perMillion(tariff.completion)] as const);
  const known = prices.flat().filter((price) => price !== null);
  if (known.length === 0)
    return html`<p class="hint">No endpoint prices tokens; all prices are in the table below.</p>`;
  const highest = known.reduce((most, price) => (compare(price, most) > 0 ? price : most), '0');
  const level = (price: string | null): Level =>
    price === null
      ? { share: null, text: 'no declared price' }
      : { share: shareOfExact(price, highest, LEVEL_MAX), text: usdText(price) };
  const rows: LevelRow[] = endpoints.map(({ provider }, at) => ({
    name: provider.name,
    levels: (prices[at] ?? []).map(level),
  }));
  return levelBars({ title: 'USD per million tokens', measures: ['Input', 'Output'], rows });
}

const UNMEASURED: Level = { share: null, text: 'too few samples yet' };

function speedChart(endpoints: readonly Endpoint[]): Html {
  const figures = endpoints.map((endpoint) => timeToFirstToken(endpoint, '30m').value);
  const slowest = Math.max(0, ...figures.map((figure) => figure?.p90 ?? 0));
  const rows: LevelRow[] = endpoints.map(({ provider }, at) => {
    const figure = figures[at];
    if (figure === null || figure === undefined) return { name: provider.name, levels: [UNMEASURED] };
    const levels = [figure.p50, figure.p90].map((value) => ({
      share: shareOf(value, slowest),
      text: milliseconds(value),
    }));
    return { name: provider.name, levels };
  });
  return levelBars({
    title: 'Time to first token, the last 30 minutes',
    measures: ['Half of the requests', 'Nine of ten'],
    rows,
  });
}

function priceTable(endpoints: readonly Endpoint[]): Html {
  return table({
    caption: 'Every declared price by endpoint',
    columns: ['Provider', 'Prices', 'Conditions', 'Discount'],
    rows: endpoints.map(({ provider, tariff }) => [
      provider.name,
      priceLines(tariff).map(({ name, text }) => html`${name} ${text}<br>`),
      tariff.overrides === undefined ? '–' : `${tariff.overrides.length} conditional`,
      tariff.discount === 0 ? '–' : `${tariff.discount * 100} %`,
    ]),
    empty: 'No endpoint serves this model.',
  });
}

function benchmarkTable(endpoints: readonly Endpoint[]): Html {
  const rows = endpoints.flatMap((endpoint) =>
    benchmarks(endpoint).map(({ dataset, score, sample_count }) => [
      endpoint.provider.name,
      dataset,
      `${score} %`,
      countText(sample_count),
    ]),
  );
  return html`${rows.length > 0 && table({ caption: 'Benchmarks', columns: ['Provider', 'Data set', { number: 'Score' }, { number: 'Answers' }], rows, empty: '' })}
<p class="hint">${benchmarksNote(endpoints)}</p>`;
}

function milliseconds(seconds: number | undefined): string {
  return seconds === undefined ? '–' : durationText(seconds * 1_000);
}

function rate(perSecond: number | undefined): string {
  return perSecond === undefined ? '–' : perSecond.toFixed(1);
}

function percent(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(1)} %`;
}
