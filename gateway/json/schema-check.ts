import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

/**
 * A check against a schema. It is compiled at its first use, which takes 5 to 120 ms of CPU: a process that compiled
 * every schema at its start would start 0.3 s later, and most processes need few of them.
 */
export function checkOf<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  let compiled: Validator | null = null;
  return (value): value is Static<T> => {
    compiled ??= Compile(schema);
    return compiled.Check(value);
  };
}
