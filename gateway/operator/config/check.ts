import type { TSchema } from 'typebox';
import { validationErrors } from '../../catalogue/validation-error.ts';
import { ConfigError } from './config-error.ts';

/** Throws ConfigError with the first error of a value: its source, the member and the remedy. Never changes the value. */
export function check(schema: TSchema, value: unknown, source: string): void {
  const [error] = validationErrors(schema, value, 1);
  if (error) throw new ConfigError(`${source}: ${error.message}`);
}
