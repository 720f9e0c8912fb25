/** The options of every command, and the data folder they select. */
import { loadConfig } from '../config/load.ts';

export interface GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** `--data`, else the folder in the configuration. */
export async function dataFolderOf(options: GlobalOptions): Promise<string> {
  const { data, config } = options;
  // Only the folder is needed: a look at a running cluster must not require the provider keys to be set.
  const loaded = await loadConfig({ file: config, data, cwd: process.cwd(), env: null });
  return loaded.data;
}
