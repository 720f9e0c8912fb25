/** `troupe batch`: submits, follows and shows batches. */
import { readFile } from 'node:fs/promises';
import type { BatchObject } from '../../../api/batches/batch-object.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { group, local } from '../frame/command.ts';
import { pairs, timeOf } from '../frame/print.ts';
import type { ProgressState } from '../frame/progress.ts';
import { CLIENT, findJob, type JobKind, jobCommands, submitted } from './jobs.ts';
import { type PublicApi, withPublicApi } from './public-api.ts';
import { readRequests } from './read-requests.ts';

const HELP = `
submit, list and results call the public API with the demo key of the data folder, or with --key KEY and --url URL.
list --all, show and cancel act for the operator on the batches of every account, unless --key or --url is given.

FILE is JSON Lines in the common format ({"custom_id", "method", "url", "body"} a line; method and url may be left out),
or one JSON object as POST /batches takes it.`;

/** The members that the commands use; times are Unix seconds. */
export type ShownBatch = Omit<BatchObject, 'results'>;

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

const kind: JobKind<ShownBatch> = {
  command: 'batch',
  words: { id: 'the batch id', one: 'batch', many: 'batches', status: 'only batches with one of these' },
  path: '/batches',
  listsByStatus: true,
  hasEnded: ({ status }) => ENDED.has(status),
  progressOf,
  look,
  head: ['ID', 'STATUS', 'TOTAL', 'COMPLETED', 'FAILED', 'CREATED'],
  cells: ({ id, status, request_counts: { total, completed, failed }, created_at }) => [
    id,
    status,
    total,
    completed,
    failed,
    timeOf(created_at * 1_000),
  ],
  members: membersOf,
  /** The results are the account's own: to read them takes its key. */
  ownMembers: ({ account, key, ...batch }) => ({
    account,
    key: key.replace(/^key:/, ''),
    ...membersOf(batch),
    results: batch.results_file_id,
  }),
};

export const commands = [
  group(
    'batch',
    'submit, follow and show batches',
    [
      local('submit', 'submit a batch and follow it to its end', {
        arguments: { '<file>': 'the requests' },
        options: {
          ...CLIENT,
          '--endpoint <endpoint>': 'the endpoint of all requests (default: that of the lines)',
          '--model <model>': 'the model of requests that name none',
          '--detach': 'do not wait for the end',
        },
        run: async ({ file, ...options }) => submitted(kind, options, readRequests(await textOf(file), options)),
        print: (ended, { detach }) => (detach ? ended.id : pairs(membersOf(ended))),
      }),
      ...jobCommands(kind),
      local('results', 'print the result lines of an ended batch', {
        arguments: { '<id>': 'the batch id' },
        options: CLIENT,
        run: ({ id, ...options }) =>
          withPublicApi(options, async (api) => {
            const { results_file_id: file, status } = await findJob<ShownBatch>(api, '/batches', id);
            if (file === null) throw new ConfigError(`${id} has no results: it is ${status}`);
            const { pieces } = await api.bytes({ method: 'GET', path: `/files/${file}/content` });
            for await (const piece of pieces) {
              if (!process.stdout.write(piece))
                await new Promise<void>((drained) => process.stdout.once('drain', drained));
            }
          }),
      }),
    ],
    HELP,
  ),
];

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(missing ? `${file}: there is no such file` : `${file} cannot be read: ${lineOf(error)}`);
  });
}

export function progressOf({ status, request_counts: { total, completed, failed } }: ShownBatch): ProgressState {
  const ended = completed + failed;
  return { done: ended / total, summary: `${ended}/${total} done, ${failed} failed, ${status}` };
}

/** The batch as its list shows it: without its results, which may have 32 MiB. */
async function look(api: PublicApi, { id, created_at }: ShownBatch): Promise<ShownBatch> {
  const path = `/batches?created_after=${created_at - 1}&created_before=${created_at + 1}&limit=100`;
  const { data } = await api.json<{ readonly data: readonly ShownBatch[] }>({ method: 'GET', path });
  return data.find((one) => one.id === id) ?? findJob(api, '/batches', id);
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
