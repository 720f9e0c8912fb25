/**
 * A mark outside the store of how far the store had come: the heartbeats of a node as they were last acknowledged. A
 * database that has not come so far was put back from a copy by hand; its epochs and births would be used a second
 * time, so no node starts on it until `troupe restore` has raised them.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { NodeRow, Store } from '../ports/store.ts';
import { UnfitDatabase } from './migration.ts';

/** One node's word: at its birth `birth`, the store `store` had acknowledged its heartbeat `beat`. */
export interface Mark {
  readonly store: string;
  readonly incarnation: string;
  readonly birth: number;
  readonly beat: number;
}

/** Names the database for ever; a copy of it keeps the name. */
export const STORE_SETTING = 'store';
/** The birth that the last restoring took for itself; what was marked before it is void. */
export const RESTORED_SETTING = 'restored';

const MARK_EVERY_MS = 1_000;
const ID_BYTES = 16;
/** No incarnation has this name: a heartbeat under it only looks. */
const ONLOOKER = '(onlooker)';

export interface MarkOptions {
  readonly marks: { readonly folder: string; readonly node: string };
  readonly clock: Clock;
  readonly random: { bytes(length: number): Uint8Array };
}

/** The same store, whose heartbeats leave a mark. @throws UnfitDatabase when it is behind one. */
export async function marked<S extends Store>(store: S, options: MarkOptions): Promise<S> {
  const { marks, clock, random } = options;
  await mkdir(marks.folder, { recursive: true });
  const id = await store.setting(STORE_SETTING, Buffer.from(random.bytes(ID_BYTES)).toString('hex'));
  const restored = Number(await store.setting(RESTORED_SETTING, '0'));
  const { nodes } = await store.heartbeat({ incarnation: ONLOOKER, hears: [], state: 'up' });
  for (const mark of await readMarks(marks.folder)) {
    if (mark.store === id && mark.birth > restored && isBehind(nodes, mark)) throw behind(mark);
  }
  const file = join(marks.folder, `${marks.node}.json`);
  let markedAt = Number.NEGATIVE_INFINITY;
  let markedFor = '';
  const heartbeat: Store['heartbeat'] = async (beat) => {
    const rows = await store.heartbeat(beat);
    if (markedFor === beat.incarnation && clock.monotonic() - markedAt < MARK_EVERY_MS) return rows;
    const own = rows.nodes.find(({ incarnation }) => incarnation === beat.incarnation);
    if (own === undefined) return rows;
    markedAt = clock.monotonic();
    markedFor = beat.incarnation;
    const { incarnation, birth, beat: seen } = own;
    await write(file, { store: id, incarnation, birth, beat: seen }).catch(() => {});
    return rows;
  };
  return { ...store, heartbeat };
}

/** Rows are shown for every living node and for those that ended last; an old enough one may be missing in peace. */
export function isBehind(nodes: readonly NodeRow[], mark: Mark): boolean {
  const row = nodes.find(({ incarnation }) => incarnation === mark.incarnation);
  if (row !== undefined) return row.beat < mark.beat;
  const oldestEnded = nodes.find(({ state }) => state === 'dead' || state === 'left')?.birth ?? 0;
  return mark.birth >= oldestEnded;
}

function behind({ incarnation, birth }: Mark): UnfitDatabase {
  return new UnfitDatabase(
    `the database is older than this data folder, which remembers more of node ${incarnation} (birth ${birth}): if it was put back from a backup, run \`troupe restore\` once, without a file`,
  );
}

/** The last birth that a node of this data folder had; 0 when there was none. */
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
      // Cut off by a power failure: it says nothing.
    }
  }
  return marks;
}

async function write(file: string, mark: Mark): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, `${JSON.stringify(mark)}\n`);
  await rename(aside, file);
}
