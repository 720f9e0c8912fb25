import type { Kind } from '../actor/kind.ts';
import { register } from '../actor/register.ts';
import { openSqliteReader } from '../stores/sqlite/open-sqlite-reader.ts';
import { type Preflight, preflight } from './preflight.ts';

/** Tries what a SQLite file holds against these kinds, beside the nodes that serve it; changes nothing in it. */
export async function preflightFile(path: string, kinds: readonly Kind[]): Promise<Preflight> {
  const store = openSqliteReader(path);
  try {
    return await preflight(new Map(kinds.map((kind) => [kind.name, register(kind)])), store);
  } finally {
    await store.close();
  }
}
