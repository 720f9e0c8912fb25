import type { CatalogueModel } from '../../catalogue/models.ts';
import type { ModelSelection } from '../../edge/query/filter-models.ts';
import { type Html, html } from '../kit/html.ts';
import { inputField, type Option, selectField } from '../kit/parts/fields.ts';
import { countText } from '../kit/parts/format.ts';
import { idText } from '../kit/parts/text.ts';
import { perMillionText, priceLines } from './price-text.ts';

interface ModelsPage {
  /** As the visitor sent it. */
  readonly query: URLSearchParams;
  readonly selection: ModelSelection;
  /** Why the query was refused; null for a good one. */
  readonly problem: string | null;
  readonly families: readonly Option[];
  readonly providers: readonly Option[];
}

const SORTS: readonly Option[] = [
  { value: '', text: 'Newest' },
  { value: 'oldest', text: 'Oldest' },
  { value: 'price-low-to-high', text: 'Price, low to high' },
  { value: 'price-high-to-low', text: 'Price, high to low' },
  { value: 'context-high-to-low', text: 'Longest context' },
];
const ANY: Option = { value: '', text: 'Any' };
const INPUTS = options(['text', 'image', 'file', 'audio', 'video']);
const OUTPUTS = options(['text', 'image', 'audio', 'video']);
const ABILITIES: readonly Option[] = [
  { value: 'tools', text: 'Tool calls' },
  { value: 'structured_outputs', text: 'Structured outputs' },
  { value: 'reasoning', text: 'Reasoning' },
];
const CONTEXTS: readonly Option[] = [
  { value: '8192', text: '8K and more' },
  { value: '32768', text: '32K and more' },
  { value: '131072', text: '128K and more' },
  { value: '1000000', text: '1M and more' },
];

/** A filter that is typed. */
interface Typed {
  readonly name: string;
  readonly title: string;
  readonly example: string;
  readonly mode: 'decimal' | 'numeric' | 'text';
}

const MAX_PRICE: Typed = {
  name: 'max_price',
  title: 'Max input price',
  example: 'USD / M tokens',
  mode: 'decimal',
};
const MORE: readonly Typed[] = [
  { name: 'max_output_price', title: 'Max output price', example: 'USD / M tokens', mode: 'decimal' },
  { name: 'model_authors', title: 'Authors', example: 'such as quill', mode: 'text' },
  { name: 'region', title: 'Region', example: 'such as DE', mode: 'text' },
  { name: 'min_tool_success_rate', title: 'Min tool success', example: 'percent', mode: 'decimal' },
  { name: 'max_age_days', title: 'Released within', example: 'days', mode: 'numeric' },
];

const COMMON: readonly { readonly name: string }[] = [
  'input_modalities',
  'output_modalities',
  'supported_parameters',
  'context',
  'max_price',
  'family',
  'providers',
  'zdr',
].map((name) => ({ name }));

function isSet(query: URLSearchParams, fields: readonly { readonly name: string }[]): boolean {
  return fields.some(({ name }) => (query.get(name) ?? '') !== '');
}

/** The list of models beside its filters. The filters are those of `GET /models`. */
export function modelsContent({ query, selection, problem, families, providers }: ModelsPage): Html {
  const { models, total, next } = selection;
  return html`<div class="page-head"><h1>Models</h1><p class="hint" id="count">${countText(total)} ${total === 1 ? 'model' : 'models'}</p></div>
<div class="catalogue">
<form class="facets panel" method="get" action="/models" data-filter="#results" role="search" aria-label="Models">
${inputField({ name: 'q', title: 'Search' }, query.get('q') ?? '', html`type="search" placeholder="Name or id"`)}
${select('sort', 'Sort', SORTS, query)}
<details class="group" open${!isSet(query, COMMON) && html` data-wide`}><summary>Filters</summary>
<div class="inner">
${select('input_modalities', 'Reads', [ANY, ...INPUTS], query)}
${select('output_modalities', 'Writes', [ANY, ...OUTPUTS], query)}
${checks('supported_parameters', 'Can', ABILITIES, query)}
${select('context', 'Context', [ANY, ...CONTEXTS], query)}
${input(query, MAX_PRICE)}
${families.length > 0 && select('family', 'Family', [ANY, ...families], query)}
${select('providers', 'Provider', [ANY, ...providers], query)}
${checks('zdr', 'Data', [{ value: 'true', text: 'Zero retention' }], query)}
</div></details>
<details${isSet(query, MORE) && html` open`}><summary>More filters</summary>
<div class="inner">${MORE.map((field) => input(query, field))}</div></details>
<div class="actions"><button class="primary" type="submit">Show</button><a class="button" href="/models">Clear</a></div>
</form>
<div id="results">
${problem !== null && html`<div class="notice bad" role="alert">${problem}</div>`}
${models.length === 0 ? html`<div class="panel empty">No model matches. <a href="/models">Show all</a></div>` : html`<ul class="models panel">${models.map(row)}</ul>`}
${next !== null && html`<nav class="pages" aria-label="Pages"><a class="button" href="/models?${next.toString()}" rel="next">More</a></nav>`}
</div>
</div>`;
}

function row({ id, summary, endpoints }: CatalogueModel, at: number): Html {
  const { tariff, contextLength } = endpoints[0] as CatalogueModel['endpoints'][number];
  const description = typeof summary.description === 'string' ? summary.description : '';
  return html`<li class="model">
<div class="what"><h2><a href="/models/${id}">${String(summary.name)}</a></h2>
<p>${idText(id, `id-${at}`)}</p>
<p class="about">${description}</p>
<p class="marks">${marksOf(endpoints).map((mark) => html`<span class="badge">${mark}</span> `)}</p></div>
<dl class="numbers">
${prices(tariff)}
<div><dt>Context</dt><dd>${countText(contextLength)}</dd></div>
<div><dt>Endpoints</dt><dd>${endpoints.length}</dd></div>
</dl>
</li>`;
}

/** The first endpoint is the cheapest: its prices are the model's. */
function prices(tariff: CatalogueModel['endpoints'][number]['tariff']): Html {
  if (tariff.prompt !== undefined || tariff.completion !== undefined) {
    return html`<div><dt>Input / M</dt><dd>${perMillionText(tariff.prompt)}</dd></div><div><dt>Output / M</dt><dd>${perMillionText(tariff.completion)}</dd></div>`;
  }
  const [line] = priceLines(tariff);
  const title = line === undefined ? 'Price' : `${line.name} / ${line.per}`;
  return html`<div class="double"><dt>${title}</dt><dd>${line?.price ?? '–'}</dd></div>`;
}

function marksOf(endpoints: CatalogueModel['endpoints']): readonly string[] {
  const inputs = new Set(endpoints.flatMap(({ inputModalities }) => inputModalities));
  const outputs = new Set(endpoints.flatMap(({ outputModalities }) => outputModalities));
  const parameters = new Set(endpoints.flatMap(({ supportedParameters }) => supportedParameters));
  return [
    ...[...inputs].filter((one) => one !== 'text').map((one) => `reads ${one}`),
    ...[...outputs].filter((one) => one !== 'text').map((one) => `writes ${one}`),
    ...ABILITIES.filter(({ value }) => parameters.has(value)).map(({ text }) => text.toLowerCase()),
  ];
}

function select(name: string, title: string, choices: readonly Option[], query: URLSearchParams): Html {
  return selectField({ name, title }, query.get(name) ?? '', choices);
}

function input(query: URLSearchParams, { name, title, example, mode }: Typed): Html {
  return inputField(
    { name, title },
    query.get(name) ?? '',
    html`type="text" inputmode="${mode}" placeholder="${example}"`,
  );
}

function checks(name: string, title: string, choices: readonly Option[], query: URLSearchParams): Html {
  const chosen = new Set(query.getAll(name).flatMap((text) => text.split(',')));
  const list = choices.map(({ value, text }) => {
    const isOn = chosen.has(value) && html` checked`;
    return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isOn}> ${text}</label>`;
  });
  return html`<fieldset class="field"><legend>${title}</legend>${list}</fieldset>`;
}

function options(values: readonly string[]): readonly Option[] {
  return values.map((value) => ({ value, text: value[0]?.toUpperCase() + value.slice(1) }));
}
