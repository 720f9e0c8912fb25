/**
 * The arguments that make `node` run a TypeScript file of this repository: what the test runner compiled, or, for a test
 * that runs alone, the file itself through tsx, which takes 1 s of CPU time longer.
 */
import { join, relative } from 'node:path';
import { ROOT } from './sources.ts';

const compiled = process.env.TROUPE_COMPILED_TESTS;

export function nodeArguments(file: string): readonly string[] {
  if (compiled === undefined) return ['--import', import.meta.resolve('tsx'), file];
  return [join(compiled, relative(ROOT, file).replace(/ts$/, 'js'))];
}
