import { Option } from 'commander';

export type LogLevel = 'error' | 'warn' | 'info';

/** `--log-level`: the least grave lines that nodes write. */
export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'the least grave lines that nodes write').choices(['error', 'warn', 'info']);
}
