/** `troupe models`: reloads models documents, validates a document, and prints their JSON Schema. */
import { resolve } from 'node:path';
import type { EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import type { Tariff } from '../../../../actors/terms/tariff.ts';
import { compare } from '../../../../actors/terms/usd.ts';
import type { Declared } from '../../../catalogue/declare/declare.ts';
import { priceChanges } from '../../../catalogue/declare/price-changes.ts';
import { command } from '../frame/asking.ts';
import { group, local } from '../frame/command.ts';
import { reason } from '../frame/names.ts';
import { table } from '../frame/print.ts';

/** A refresh may fetch documents from slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;

const REFRESH_HELP = `
A document that is invalid or cannot be read changes nothing: the provider keeps its last declaration, and the reason
is shown here (exit code 1), in the log, and by \`troupe why provider:SLUG\`.`;

const CHECK_HELP = `
Warnings leave the exit code at 0: a model that is served free without is_free, a price missing on one side, a range
whose minimum is above its maximum, a parameter that no request can set.`;

export const commands = [
  group('models', 'reload and check the models documents of providers', [
    command('refresh', 'reload models documents now', {
      arguments: { '[provider]': 'the slug of one provider (default: all)' },
      options: { '--reason <text>': reason('why, for the record') },
      help: REFRESH_HELP,
      ask: async ({ provider, reason: why }, api) => {
        const body = { provider, reason: why };
        const { data } = await api.post<{ data: readonly Declared[] }>('/api/models/refresh', body, REFRESH_MS_MAX);
        if (data.some(({ problem }) => problem !== null)) process.exitCode = 1;
        return data;
      },
      print: renderDeclared,
      warnings: (declared) => declared.flatMap(({ warnings }) => warnings),
    }),
    local('check', 'check a models document without a cluster; prints line and member of every error, and warnings', {
      arguments: { '<file>': { meaning: 'a models document', parse: fileFrom } },
      options: {
        '--previous <file>': {
          meaning: 'an earlier version: warns of prices that change by more than ten times',
          parse: fileFrom,
        },
      },
      help: CHECK_HELP,
      run: async ({ file, previous }) => {
        const { checkDocument } = await import('./check-document.ts');
        const { endpoints, warnings } = await checkDocument(file);
        const before = previous === undefined ? [] : (await checkDocument(previous)).endpoints;
        return { endpoints, warnings: [...warnings, ...priceChanges(before, endpoints)] };
      },
      json: ({ endpoints }) => endpoints,
      print: ({ endpoints }) => renderEndpoints(endpoints),
      warnings: ({ warnings }, { file }) => warnings.map((warning) => `${file}: ${warning}`),
    }),
    local('schema', 'print the JSON Schema of a models document', {
      run: async () => {
        const { publishedSchema } = await import('../../../catalogue/document/published-schema.ts');
        process.stdout.write(`${JSON.stringify(publishedSchema(), null, 2)}\n`);
      },
    }),
  ]),
];

function fileFrom(text: string): string {
  return resolve(text);
}

function renderDeclared(declared: readonly Declared[]): string {
  const rows = declared.flatMap(({ provider, endpoints, changes, problem, faults = [] }) => {
    if (problem === null) return [[provider, String(endpoints.length), String(changes), 'declared']];
    return (faults.length > 0 ? faults : [problem]).map((fault, nth) => [nth === 0 ? provider : '', '', '', fault]);
  });
  return table(['PROVIDER', 'ENDPOINTS', 'CHANGES', 'DOCUMENT'], rows);
}

function renderEndpoints(declared: readonly EndpointDeclaration[]): string {
  const rows = declared.map((endpoint) => [
    endpoint.model,
    endpoint.target.upstreamId,
    endpoint.contextLength,
    endpoint.inputModalities.join('+'),
    endpoint.outputModalities.join('+'),
    ...pricesText(endpoint.tariff, endpoint.outputModalities.includes('video')),
  ]);
  return table(['MODEL', 'AT THE PROVIDER', 'CONTEXT', 'INPUT', 'OUTPUT', 'PROMPT USD', 'COMPLETION USD'], rows);
}

/** Prices of prompt and answer; those of a clip are per second, by its conditions. */
function pricesText({ prompt, completion, videoSecond, videoTiers = [] }: Tariff, isVideo: boolean): string[] {
  if (!isVideo) return [prompt ?? 'unpriced', completion ?? 'unpriced'];
  const rates = [...(videoSecond === undefined ? [] : [videoSecond]), ...videoTiers.map(({ rate }) => rate)];
  const [least, ...more] = [...new Set(rates)].sort(compare);
  if (least === undefined) return ['-', 'unpriced'];
  return ['-', `${more.length === 0 ? least : `${least} to ${more.at(-1)}`} / s`];
}
