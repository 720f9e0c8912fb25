/** Options every command takes, and the data folder they mean. */
import { loadConfig } from '../config/load.ts';

export interface GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** `--data`, else what the configuration says. */
export async function dataFolderOf(options: GlobalOptions): Promise<string> {
  const { data, config } = options;
  // Only the folder is wanted: the keys of providers need not be set to look at a running cluster.
  const loaded = await loadConfig({ file: config, data, cwd: process.cwd(), env: null });
  return loaded.data;
}
