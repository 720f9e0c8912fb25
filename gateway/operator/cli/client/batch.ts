/** `troupe batch`: submits, follows and shows batches through the public API, as any client does. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { progressFor } from '../frame/progress.ts';
import { type AllOptions, isOperator, moreLine, requireOperator, withAllOptions } from './all-jobs.ts';
import { allBatches, batchOf, cancelAnyBatch, type OperatorBatch } from './operator-batches.ts';
import { type ClientOptions, type PublicApi, pause, withPublicApi } from './public-api.ts';
import { readRequests, type SubmissionOptions } from './read-requests.ts';
import { hasEnded, progressOf, type ShownBatch } from './shown-batch.ts';

/** A look costs one request of the key's rate. */
const LOOK_EVERY_MS = 2_000;

const HELP = `
submit, list and results call the public API with the demo key of the data folder, or with --key KEY and --url URL.
list --all, show and cancel act for the operator on the batches of every account, unless --key or --url is given.

FILE is JSON Lines in the common format ({"custom_id", "method", "url", "body"} a line; method and url may be left out),
or one JSON object as POST /batches takes it.`;

export function addBatch(program: Command): void {
  const batch = program.command('batch').description('submit, follow and show batches').addHelpText('after', HELP);
  const command = (name: string): Command =>
    batch
      .command(name)
      .option('--key <key>', 'an API key (default: the demo key of the data folder)')
      .option('--url <url>', 'the base address of the API (default: that of the data folder)');
  command('submit')
    .argument('<file>', 'the requests')
    .option('--endpoint <endpoint>', 'the endpoint of all requests (default: that of the lines)')
    .option('--model <model>', 'the model of requests that name none')
    .option('--detach', 'do not wait for the end')
    .description('submit a batch and follow it to its end')
    .action((file: string, _: unknown, made: Command) => submit(file, made.optsWithGlobals()));
  withAllOptions(command('list'))
    .option('--status <status...>', 'only batches with one of these')
    .description('list the newest batches of a key, or of every account')
    .action((_: unknown, made: Command) => list(made.optsWithGlobals()));
  command('show')
    .argument('<id>', 'the batch id')
    .description('show one batch')
    .action((id: string, _: unknown, made: Command) => show(id, made.optsWithGlobals()));
  command('cancel')
    .argument('<id>', 'the batch id')
    .description('cancel a batch')
    .action((id: string, _: unknown, made: Command) => cancel(id, made.optsWithGlobals()));
  command('results')
    .argument('<id>', 'the batch id')
    .description('print the result lines of an ended batch')
    .action((id: string, _: unknown, made: Command) => results(id, made.optsWithGlobals()));
}

async function submit(
  file: string,
  options: ClientOptions & SubmissionOptions & { readonly detach?: boolean },
): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(missing ? `${file}: there is no such file` : `${file} cannot be read: ${lineOf(error)}`);
  });
  const body = JSON.stringify(readRequests(text, options));
  // Repeats after a lost answer return the same batch.
  const headers = ['idempotency-key', Buffer.from(systemRandom.bytes(16)).toString('hex')];
  const ended = await withPublicApi(options, async (api) => {
    const made = await api.json<ShownBatch>({ method: 'POST', path: '/batches', body, headers });
    if (options.detach || options.json) return options.detach ? made : follow(api, made, null);
    process.stdout.write(`${made.id}\n`);
    return follow(api, made, process.stdout);
  });
  print(options, ended, () => (options.detach ? ended.id : pairs(membersOf(ended))));
  if (hasEnded(ended) && ended.status !== 'completed') process.exitCode = 1;
}

/** Looks until the batch has ended. `out` receives the progress: a bar in a terminal, lines elsewhere. */
async function follow(api: PublicApi, made: ShownBatch, out: NodeJS.WriteStream | null): Promise<ShownBatch> {
  const progress = progressFor(out);
  let batch = made;
  out?.write(progress.show(progressOf(batch)));
  while (!hasEnded(batch)) {
    await pause(LOOK_EVERY_MS);
    batch = await look(api, made);
    out?.write(progress.show(progressOf(batch)));
  }
  out?.write(progress.end());
  return batch;
}

/** The batch as its list shows it: without its results, which may have 32 MiB. */
async function look(api: PublicApi, { id, created_at }: ShownBatch): Promise<ShownBatch> {
  const query = `created_after=${created_at - 1}&created_before=${created_at + 1}&limit=100`;
  const { data } = await api.json<{ readonly data: readonly ShownBatch[] }>({
    method: 'GET',
    path: `/batches?${query}`,
  });
  return data.find((one) => one.id === id) ?? api.json({ method: 'GET', path: `/batches/${id}` });
}

async function list(options: ClientOptions & AllOptions): Promise<void> {
  if (options.all) return listAll(options);
  const { status = [], limit, after } = options;
  const query = new URLSearchParams(status.map((one): [string, string] => ['status', one]));
  if (limit !== undefined) query.set('limit', limit);
  if (after !== undefined) query.set('after', after);
  const page = await withPublicApi(options, (api) =>
    api.json<{ readonly data: readonly ShownBatch[] }>({ method: 'GET', path: `/batches?${query}` }),
  );
  print(options, page, () => table(HEAD, page.data.map(cells)));
}

async function listAll(options: ClientOptions & AllOptions): Promise<void> {
  requireOperator(options);
  const page = await allBatches(options);
  print(options, page, () => {
    const rows = page.data.map((batch) => [...cells(batch), batch.account]);
    return `${table([...HEAD, 'ACCOUNT'], rows)}${page.has_more ? moreLine('troupe batch list --all', page) : ''}`;
  });
}

const HEAD = ['ID', 'STATUS', 'TOTAL', 'COMPLETED', 'FAILED', 'CREATED'] as const;

function cells({ id, status, request_counts: counts, created_at }: ShownBatch): readonly string[] {
  const { total, completed, failed } = counts;
  return [id, status, String(total), String(completed), String(failed), String(timeOf(created_at * 1_000))];
}

async function show(id: string, options: ClientOptions): Promise<void> {
  if (isOperator(options)) return printAny(options, await batchOf(id, options));
  const batch = await withPublicApi(options, (api) => find(api, id));
  print(options, batch, () => pairs(membersOf(batch)));
}

async function cancel(id: string, options: ClientOptions): Promise<void> {
  if (isOperator(options)) return printAny(options, await cancelAnyBatch(id, options));
  const batch = await withPublicApi(options, (api) =>
    api.json<ShownBatch>({ method: 'POST', path: `/batches/${encodeURIComponent(id)}/cancel` }),
  );
  print(options, batch, () => pairs(membersOf(batch)));
}

/** The results are the account's own: to read them takes its key. */
function printAny(options: ClientOptions, batch: OperatorBatch): void {
  const { account, key, results_file_id: results } = batch;
  print(options, batch, () => pairs({ account, key: key.replace(/^key:/, ''), ...membersOf(batch), results }));
}

async function results(id: string, options: ClientOptions): Promise<void> {
  await withPublicApi(options, async (api) => {
    const { results_file_id: file, status } = await find(api, id);
    if (file === null) throw new ConfigError(`${id} has no results: it is ${status}`);
    const { pieces } = await api.bytes({ method: 'GET', path: `/files/${file}/content` });
    for await (const piece of pieces) {
      if (!process.stdout.write(piece)) await new Promise<void>((drained) => process.stdout.once('drain', drained));
    }
  });
}

function find(api: PublicApi, id: string): Promise<ShownBatch> {
  return api.json<ShownBatch>({ method: 'GET', path: `/batches/${encodeURIComponent(id)}` });
}

function membersOf(batch: ShownBatch) {
  const { total, completed, failed } = batch.request_counts;
  return {
    batch: batch.id,
    status: batch.status,
    endpoint: batch.endpoint,
    model: batch.model,
    requests: `${total}: ${completed} completed, ${failed} failed, ${total - completed - failed} not run`,
    created: timeOf(batch.created_at * 1_000),
    expires: timeOf(batch.expires_at * 1_000),
    ended: batch.finalized_at === null ? null : timeOf(batch.finalized_at * 1_000),
    error: batch.error?.message,
    results: batch.results_file_id === null ? null : `troupe batch results ${batch.id}`,
  };
}
