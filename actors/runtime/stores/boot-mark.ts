/**
 * Boot marks: files outside the store that record each node's last acknowledged heartbeat. A database behind its marks
 * was restored from a copy by hand; it would give out used epochs and births again. No node starts on it until `troupe
 * restore` has raised them.
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { NodeRow, Store } from '../ports/store.ts';
import { makeFolder } from './directory/folders.ts';
import { UnfitDatabase } from './migration.ts';

/** The mark of one node: for its birth `birth`, the store `store` acknowledged heartbeat `beat`. */
interface Mark {
  readonly store: string;
  readonly incarnation: string;
  readonly birth: number;
  readonly beat: number;
}

/** Id of the database; a copy has the same id. */
const STORE_SETTING = 'store';
/** The birth that the last restore reserved for itself; marks of earlier births are void. */
export const RESTORED_SETTING = 'restored';

const MARK_EVERY_MS = 1_000;
const ID_BYTES = 16;
/** No node has this incarnation: a heartbeat with it changes no row and returns all of them. */
const OBSERVER = '(onlooker)';

interface MarkOptions {
  readonly marks: { readonly folder: string; readonly node: string };
  readonly clock: Clock;
  readonly random: { bytes(length: number): Uint8Array };
  /** Called once when a mark cannot be written: until it can, a restored database is not recognised. */
  readonly onUnmarked: (error: Error) => void;
}

/** Wraps a store so that its heartbeats write marks. @throws UnfitDatabase when the database is behind a mark. */
export async function withBootMarks<S extends Store>(store: S, options: MarkOptions): Promise<S> {
  const { marks, clock, random, onUnmarked } = options;
  makeFolder(marks.folder);
  const id = await store.setting(STORE_SETTING, Buffer.from(random.bytes(ID_BYTES)).toString('hex'));
  const restored = Number(await store.setting(RESTORED_SETTING, '0'));
  // Before the nodes: a living node writes a later mark at any time, and the database is never behind an earlier one.
  const known = await readMarks(marks.folder);
  const { nodes } = await store.heartbeat({ incarnation: OBSERVER, reaches: [], state: 'up' });
  for (const mark of known) {
    if (mark.store === id && mark.birth > restored && isBehind(nodes, mark)) throw behind(mark);
  }
  const file = join(marks.folder, `${marks.node}.json`);
  let markedAt = Number.NEGATIVE_INFINITY;
  let markedIncarnation = '';
  let isUnmarked = false;
  const heartbeat: Store['heartbeat'] = async (beat) => {
    const rows = await store.heartbeat(beat);
    if (markedIncarnation === beat.incarnation && clock.monotonic() - markedAt < MARK_EVERY_MS) return rows;
    const own = rows.nodes.find(({ incarnation }) => incarnation === beat.incarnation);
    if (own === undefined) return rows;
    markedAt = clock.monotonic();
    markedIncarnation = beat.incarnation;
    const { incarnation, birth, beat: seen } = own;
    try {
      await write(file, { store: id, incarnation, birth, beat: seen });
      isUnmarked = false;
    } catch (error) {
      if (!isUnmarked) onUnmarked(error as Error);
      isUnmarked = true;
    }
    return rows;
  };
  return { ...store, heartbeat };
}

/**
 * Heartbeats return all living nodes and the latest ended ones, so the row of an old ended node can be missing
 * legitimately.
 */
export function isBehind(nodes: readonly NodeRow[], mark: Mark): boolean {
  const row = nodes.find(({ incarnation }) => incarnation === mark.incarnation);
  if (row !== undefined) return row.beat < mark.beat;
  const oldestEnded = nodes.find(({ state }) => state === 'dead' || state === 'left')?.birth ?? 0;
  return mark.birth >= oldestEnded;
}

function behind({ incarnation, birth }: Mark): UnfitDatabase {
  return new UnfitDatabase(
    `the database is older than this data folder, which has recorded later heartbeats of node ${incarnation} (birth ${birth}): if it was restored from a backup, run \`troupe restore\` once, without a file`,
  );
}

/** The highest birth marked in this data folder; 0 without marks. */
export async function furthestBirth(folder: string): Promise<number> {
  const marks = await readMarks(folder).catch(() => []);
  return Math.max(0, ...marks.map(({ birth }) => birth));
}

async function readMarks(folder: string): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    try {
      marks.push(JSON.parse(await readFile(join(folder, name), 'utf8')) as Mark);
    } catch {
      // Truncated by a power failure: ignored.
    }
  }
  return marks;
}

async function write(file: string, mark: Mark): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(mark)}\n`);
  await rename(temporary, file);
}
