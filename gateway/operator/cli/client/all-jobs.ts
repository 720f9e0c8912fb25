/** The options of `batch list` and `video list`: `--all` lists the jobs of every account, for the operator. */
import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { countFrom } from '../frame/names.ts';
import type { ClientOptions } from './public-api.ts';

const SHOWN_USUALLY = 20;
const SHOWN_MAX = 999;

export interface AllOptions {
  readonly all?: boolean;
  readonly status?: readonly string[];
  readonly limit?: string;
  readonly after?: string;
}

export function withAllOptions(list: Command): Command {
  return list
    .option('--all', 'the jobs of every account, read as the operator without a key')
    .option('--limit <count>', `how many (default: ${SHOWN_USUALLY}; at most 100, with --all ${SHOWN_MAX})`)
    .option('--after <id>', 'continue behind the job that the page before ended with');
}

/** True where no key and no address of the API is given: the command then speaks to the cluster as its operator. */
export function isOperator({ key, url }: ClientOptions): boolean {
  return key === undefined && url === undefined;
}

/** @throws ConfigError for `--all` with a key, which sees one account */
export function requireOperator(options: ClientOptions): void {
  if (!isOperator(options)) throw new ConfigError('--all lists the jobs of every account; leave out --key and --url');
}

/** @throws ConfigError */
export function limitFrom({ limit }: AllOptions): number {
  return limit === undefined ? SHOWN_USUALLY : Math.min(SHOWN_MAX, countFrom(limit, 'number of jobs'));
}

/** @throws ConfigError */
export function cursorFrom({ after }: AllOptions, isId: (text: string) => boolean): string | null {
  if (after === undefined || isId(after)) return after ?? null;
  throw new ConfigError(`--after ${after} is not the id of a job`);
}

/** @throws ConfigError */
export function statusesFrom<S extends string>({ status = [] }: AllOptions, known: readonly S[]): readonly S[] {
  return status.map((text) => {
    const found = known.find((one) => one === text);
    if (found === undefined) throw new ConfigError(`"${text}" is not a status; write one of ${known.join(', ')}`);
    return found;
  });
}

/** The line below a page that is not the last one. */
export function moreLine(command: string, page: { readonly data: readonly { readonly id: string }[] }): string {
  return `\nmore: ${command} --after ${page.data.at(-1)?.id}`;
}
