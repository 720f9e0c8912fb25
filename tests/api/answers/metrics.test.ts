/** The metrics of a node that served requests, and the alert rules and the dashboard that read them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { release, settle } from '../../../actors/account/account.ts';
import { admit } from '../../../actors/key/key.ts';
import type { NodeHandle } from '../../../gateway/main.ts';
import { bounded } from '../../support/bounded.ts';
import * as words from '../../support/model/words.ts';
import { ROOT } from '../../support/sources.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);
const WITHIN_MS = 30_000;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const { cluster, funded, send, ask, dataOf } = await openApi(test, openCluster);
const token = (await readFile(join(cluster.folder, 'secrets', 'operator-token'), 'utf8')).trim();

async function scrape(): Promise<readonly Sample[]> {
  const answer = await fetch(`${cluster.nodes[0]?.operatorUrl}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return (await answer.text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** The sum of the samples that have these labels. */
function sum(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  return samples
    .filter((one) => one.name === name && Object.entries(labels).every(([label, text]) => one.labels[label] === text))
    .reduce((total, { value }) => total + value, 0);
}

function complete(model: string, members: object = {}): Promise<Response> {
  return send('/chat/completions', { body: { model, messages: [{ role: 'user', content: 'Say hello' }], ...members } });
}

/** What a request adds to a metric. */
async function added(work: () => Promise<unknown>): Promise<(name: string, labels?: Record<string, string>) => number> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return (name, labels) => sum(after, name, labels) - sum(before, name, labels);
}

it('a completion is seen in latency, time to first token, attempts, tokens and USD of its model and provider', async () => {
  let usage = { prompt_tokens: 0, completion_tokens: 0, cost: 0 };
  let provider = '';
  const grown = await added(async () => {
    const reply = (await (await complete('sim/fast')).json()) as { usage: typeof usage; provider: string };
    ({ usage, provider } = reply);
  });
  const labels = { model: 'sim/fast', provider };
  assert.is(grown('troupe_request_seconds_count', { route: 'POST /api/v1/chat/completions', status: '2xx' }), 1);
  assert.is(grown('troupe_first_token_seconds_count', labels), 1);
  assert.is(grown('troupe_attempts_total', { ...labels, outcome: 'served' }), 1);
  assert.is(grown('troupe_tokens_total', { ...labels, kind: 'prompt' }), usage.prompt_tokens);
  assert.is(grown('troupe_tokens_total', { ...labels, kind: 'completion' }), usage.completion_tokens);
  assert.ok(usage.cost > 0);
  assert.ok(Math.abs(grown('troupe_usd_total', labels) - usage.cost) < 1e-12);
  assert.ok(grown('troupe_commit_seconds_count') >= 2);
  assert.is(grown('troupe_holds_open'), 0);
});

it('a stream counts as one answer with one first token', async () => {
  const grown = await added(async () => (await complete('sim/fast', { stream: true })).text());
  assert.is(grown('troupe_first_token_seconds_count', { model: 'sim/fast' }), 1);
  assert.is(grown('troupe_request_seconds_count', { route: 'POST /api/v1/chat/completions', status: '2xx' }), 1);
  assert.is(grown('troupe_holds_open'), 0);
});

it('a refused request is counted by its error type, and its path and model never become labels (rule N42)', async () => {
  const grown = await added(async () => {
    await (await complete('made-up/model')).text();
    await (await send('/made-up-path', { key: null })).text();
  });
  assert.is(grown('troupe_refusals_total', { type: 'not_found', status: '404' }), 2);
  assert.is(grown('troupe_request_seconds_count', { route: 'none', status: '4xx' }), 1);
  assert.not.match(JSON.stringify(await scrape()), /made-up/);
});

it('a charge that is late or exceeds its hold is counted where its account lives, whoever sends it', async () => {
  const [{ cluster: node, incarnation }] = cluster.nodes as [NodeHandle];
  const { account, keyAddress } = funded;
  const charge = async (generation: string, cost: string, isLate: boolean): Promise<void> => {
    const more = { gateway: incarnation, deadlineAt: node.now() + 60_000 };
    await admit(node, keyAddress, words.request(generation, '0.01', more), { perMinute: 1_000, withinMs: WITHIN_MS });
    if (isLate) await release(node, account, words.release(generation), WITHIN_MS);
    const answer = await settle(node, account, words.settlement(generation, cost), WITHIN_MS);
    assert.is('late' in answer && answer.late, isLate, JSON.stringify(answer));
  };
  const usual = await added(() => charge('gen-usual', '0.01', false));
  assert.equal([usual('troupe_settles_late_total'), usual('troupe_overshoots_total')], [0, 0]);
  const late = await added(() => charge('gen-late', '0.01', true));
  assert.equal([late('troupe_settles_late_total'), late('troupe_overshoots_total')], [1, 0]);
  const above = await added(() => charge('gen-above', '0.02', false));
  assert.equal([above('troupe_settles_late_total'), above('troupe_overshoots_total')], [0, 1]);
  // A repeat is answered from the record and counted once.
  const repeat = await added(() => settle(node, account, words.settlement('gen-above', '0.02'), WITHIN_MS));
  assert.is(repeat('troupe_overshoots_total'), 0);
});

it('an answer with an implausible prompt count is one refused usage, and its record shows both counts', async () => {
  const messages = [{ role: 'user', content: '@sim {"tokens":2,"usage":{"prompt_tokens":127999}}' }];
  let id = '';
  const refused = await added(async () => {
    const answer = await complete('sim/fast', { messages });
    id = answer.headers.get('x-generation-id') ?? '';
    await answer.text();
  });
  assert.is(refused('troupe_usage_refused_total'), 1);
  const data = await dataOf<Record<string, unknown>>(`/generation?id=${id}`);
  const { estimated, tokens_prompt, native_tokens_prompt, refused_prompt_tokens } = data;
  assert.equal([estimated, native_tokens_prompt, refused_prompt_tokens], [true, null, 127_999]);
  assert.ok(Number(tokens_prompt) < 100);
});

it('the health of every endpoint is listed by model and provider', async () => {
  const samples = await scrape();
  const of = (health: string): number => sum(samples, 'troupe_endpoints', { model: 'sim/fast', health });
  assert.is(of('healthy') + of('unknown') + of('degraded') + of('down'), 2);
});

/** The metrics that an expression names, each with the labels that it is filtered or grouped by. */
function namedBy(expression: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  const grouping = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...expression.matchAll(/\b(troupe_\w+|up)\b(?:\{([^}]*)\})?/g)].map(([, name = '', filter = '']) => ({
    name,
    labels: [...grouping, ...[...filter.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)],
  }));
}

/** Labels that Prometheus itself adds, and its own metric. */
const SCRAPED: readonly Sample[] = [{ name: 'up', labels: { job: 'troupe', instance: '' }, value: 1 }];

async function unknownNames(expressions: readonly string[]): Promise<readonly string[]> {
  const exported = [...(await scrape()), ...SCRAPED];
  return expressions.flatMap((expression) =>
    namedBy(expression).flatMap(({ name, labels }) => {
      const samples = exported.filter((one) => one.name === name);
      if (samples.length === 0) return [`${name} is not exported: ${expression}`];
      const known = new Set(['instance', 'job', ...samples.flatMap((one) => Object.keys(one.labels))]);
      return labels.filter((label) => !known.has(label)).map((label) => `${name} has no label ${label}: ${expression}`);
    }),
  );
}

/** A request that every provider refuses, and a rendered video, so that each metric has a sample. */
async function sampleAll(): Promise<void> {
  for (const { cluster: node } of cluster.nodes) {
    node.operator.noteRestarts({ name: 't1', total: 2, times: [node.now()], lastEnd: { reason: 'x', at: node.now() } });
  }
  const messages = [{ role: 'user', content: '@sim {"status":400}' }];
  assert.is.not((await complete('sim/fast', { messages })).status, 200);
  const job = { model: 'sim/filmstrip', prompt: 'a lake @sim {"render_ms":50}', duration: 1, resolution: '480p' };
  let { body: shown } = await ask<{ readonly id: string; readonly status: string }>('/videos', { body: job });
  while (shown.status === 'pending' || shown.status === 'in_progress') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    shown = (await ask<typeof shown>(`/videos/${shown.id}`)).body;
  }
  assert.is(shown.status, 'completed', JSON.stringify(shown));
}

it('every metric and label that an alert rule or a panel names is exported', async () => {
  await sampleAll();
  const rules = parse(await readFile(join(ROOT, 'deploy', 'monitoring', 'alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string; action: string } }[] }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  assert.ok(alerts.length >= 12);
  for (const { alert, annotations } of alerts) {
    assert.match(alert, /^Troupe[A-Z]/);
    assert.ok(annotations.summary.length > 0 && annotations.action.length > 0, alert);
  }
  const dashboard = JSON.parse(await readFile(join(ROOT, 'deploy', 'monitoring', 'dashboard.json'), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
    templating: { list: { query: string }[] };
  };
  const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const variables = dashboard.templating.list.map(({ query }) => query).filter((query) => query.startsWith('label'));
  assert.ok(panels.length > 20 && variables.length === 2);
  assert.equal(await unknownNames([...alerts.map(({ expr }) => expr), ...panels, ...variables]), []);
  for (const metric of ['troupe_request_seconds', 'troupe_first_token_seconds', 'troupe_tokens', 'troupe_usd']) {
    assert.ok(
      panels.some((expr) => expr.includes(metric)),
      `no panel shows ${metric}`,
    );
  }
});

test.run();
