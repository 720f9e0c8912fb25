/** Commands that call the operator API of a running cluster. */
import { type AddCommand, type Given, type GlobalOptions, local, type Meanings, type Parts } from './command.ts';
import { findCluster } from './find-cluster.ts';
import type { OperatorApi } from './operator-api.ts';

interface Asking<A extends Meanings, O extends Meanings, T> extends Parts<A, O, T> {
  readonly ask: (given: Given<A, O>, api: OperatorApi) => Promise<T>;
}

/** Calls the cluster that the options name, and prints what it answers. */
export function command<const A extends Meanings, const O extends Meanings, T>(
  name: string,
  description: string,
  { ask, ...parts }: Asking<A, O, T>,
): AddCommand {
  return local(name, description, {
    ...parts,
    run: (given: Given<A, O>) => withOperator(given, (api) => ask(given, api)),
  });
}

/** Runs with the operator API of the cluster that the options name. @throws ConfigError */
export async function withOperator<T>(options: GlobalOptions, run: (api: OperatorApi) => Promise<T>): Promise<T> {
  const [found, { OperatorApi: Api }] = await Promise.all([findCluster(options), import('./operator-api.ts')]);
  const api = await Api.open(found);
  try {
    return await run(api);
  } finally {
    await api.close();
  }
}

/** A path, its values encoded as one segment each. */
export function route(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}
