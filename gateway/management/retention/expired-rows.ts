/**
 * Exports generations and activity before a sweep removes them. A file stays below `pending` until the removal of its rows
 * has ended; its name is derived from its content. After the end of the process, the next sweep removes what is pending
 * and still stored as it was exported, so a row is in one file however often a node dies. (rule K86)
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { USAGE } from '../../../actors/key/usage.ts';
import type { KeptRows, RowExport, RowKey, RowRecord } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { renderExact } from '../../json/exact-json.ts';
import { renderGeneration } from '../generation-record.ts';
import type { ExportFolder } from './export-folder.ts';

interface Subject {
  /** The collection, and the folder of its files. */
  readonly collection: string;
  readonly folder: string;
  /** What lists show of a row, as JSON text. */
  readonly render: (row: RowRecord) => string;
}

const SUBJECTS: readonly Subject[] = [
  {
    collection: 'generation',
    folder: 'generations',
    render: ({ address, id, body }) => {
      const generation = JSON.parse(body) as Generation;
      return renderExact({ actor: address, row: id, key: generation.key, ...renderGeneration(id, generation) });
    },
  },
  {
    collection: USAGE,
    folder: 'activity',
    render: ({ address, id, body }) => JSON.stringify({ actor: address, row: id, ...JSON.parse(body) }),
  },
];
const PENDING = 'pending';
/** Of a digest, enough for the files of one hour. */
const NAME_CHARACTERS = 16;
const HOUR = 'YYYY-MM-DDTHH'.length;
const DAY = 'YYYY-MM-DD'.length;

export class ExpiredRows implements RowExport {
  readonly #folder: ExportFolder;

  constructor(folder: ExportFolder) {
    this.#folder = folder;
  }

  async keep(rows: readonly RowRecord[]): Promise<readonly KeptRows[]> {
    const kept: KeptRows[] = [];
    for (const subject of SUBJECTS) {
      const own = rows.filter(({ collection }) => collection === subject.collection);
      if (own.length > 0) kept.push(await this.#keep(subject, own));
    }
    return kept;
  }

  async *unfinished(): AsyncIterable<KeptRows> {
    for (const pending of await this.#folder.names(PENDING)) {
      const name = pending.slice(PENDING.length + 1);
      const subject = SUBJECTS.find(({ folder }) => name.startsWith(`${folder}/`));
      if (subject !== undefined) yield this.#kept(subject, name, await this.#folder.lines(pending));
    }
  }

  async #keep(subject: Subject, rows: readonly RowRecord[]): Promise<KeptRows> {
    const lines = rows.map((row) => subject.render(row));
    const digest = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, NAME_CHARACTERS);
    const time = new Date(rows[0]?.sort ?? 0).toISOString();
    const name = `${subject.folder}/${time.slice(0, DAY)}/${time.slice(0, HOUR)}-${digest}`;
    await this.#folder.write(join(PENDING, name), lines, () => ({ subject: subject.folder }));
    return this.#kept(subject, name, lines);
  }

  #kept({ collection, render }: Subject, name: string, lines: readonly string[]): KeptRows {
    const known = new Set(lines);
    return {
      keys: lines.map((line) => keyOf(collection, line)),
      has: (row) => known.has(render(row)),
      end: () => this.#folder.move(join(PENDING, name), name),
    };
  }
}

function keyOf(collection: string, line: string): RowKey {
  const { actor, row } = JSON.parse(line) as { readonly actor: string; readonly row: string };
  return { address: actor, collection, id: row };
}
