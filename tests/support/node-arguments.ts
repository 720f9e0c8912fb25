/**
 * The arguments that make `node` run a TypeScript file of this repository: what the test runner compiled, or, for a test
 * that runs alone, the file itself.
 */
import { join, relative } from 'node:path';
import { ROOT } from './sources.ts';

const compiled = process.env.TROUPE_COMPILED_TESTS;

export function nodeArguments(file: string): readonly string[] {
  return [compiled === undefined ? file : join(compiled, relative(ROOT, file).replace(/ts$/, 'js'))];
}
