import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ownerHash, ownerOf, SHARDS_DEFAULT, shardOf } from '../../actors/runtime/index.ts';
import { KEY_PREFIX, keyDigest } from '../../actors/terms/ids.ts';
import { readPepper } from '../../gateway/operator/config/secrets.ts';

interface Index {
  readonly name: string;
  readonly sql: string;
}

interface Template {
  /** Ids without their kind, as in addresses and bodies. */
  readonly account: string;
  readonly key: string;
  readonly digest: string;
}

const DIGITS = 20;
const CACHE_KIB = 1_000_000;

/** The key of the n-th stored account. */
export function storedKey(n: number): string {
  return `${KEY_PREFIX}${createHash('sha256').update(`key ${n}`).digest('hex')}`;
}

/**
 * Writes so many funded accounts with a key each straight into the database of a cluster that is down: copies of one
 * that the product made at `template`, row by row, under other ids. Nothing but their number is special about them.
 */
export async function storeAccounts(data: string, template: string, count: number): Promise<void> {
  const pepper = await readPepper(data);
  const account = template.slice('account:'.length);
  const db = new Database(join(data, 'troupe.db'), { fileMustExist: true });
  try {
    // No other process has this database open, and a crash discards it: no journal, and indexes are created at the end.
    db.pragma('journal_mode = DELETE');
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    const indexes = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").all();
    const credential = db.prepare("SELECT id, address FROM rows WHERE collection = 'credential' AND address LIKE ?");
    const { id: digest, address } = credential.get(`key:${account}/%`) as { id: string; address: string };
    const key = address.slice(address.indexOf('/') + 1);
    const copy = copier(db, { account, key, digest });
    for (const { name } of indexes as readonly Index[]) db.exec(`DROP INDEX ${name}`);
    db.exec('BEGIN');
    for (const [n, local] of locals(count).entries()) copy(local, keyDigest(pepper, storedKey(n)));
    db.exec(`DELETE FROM actor_counts;
      INSERT INTO actor_counts SELECT kind, state, chart, count(*) FROM actors GROUP BY kind, state, chart`);
    db.exec('COMMIT');
    for (const { sql } of indexes as readonly Index[]) db.exec(sql);
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The end of a snapshot; one without its sum is accepted unchanged, like one that an operator repaired. */
const SUM = /,"sum":"[0-9a-f]{8}"\}$/;

/** Ids distributed like random ones, in the order of the one index that is kept. */
function locals(count: number): readonly string[] {
  const made = Array.from({ length: count }, (_, n) => createHash('sha256').update(String(n)).digest('hex'));
  return made.map((hex) => hex.slice(0, DIGITS)).sort();
}

function copier(db: Database.Database, template: Template): (local: string, digest: string) => void {
  const mine = `%${template.account}%`;
  const actors = db.prepare('SELECT * FROM actors WHERE address LIKE ?').all(mine) as readonly Row[];
  const rows = db.prepare('SELECT * FROM rows WHERE address LIKE ?').all(mine) as readonly Row[];
  const timers = db.prepare('SELECT * FROM timers WHERE address LIKE ?').all(mine) as readonly Row[];
  const inserts = [
    ...actors.map((row) => inserter(db, 'actors', row)),
    ...rows.map((row) => inserter(db, 'rows', row)),
    ...timers.map((row) => inserter(db, 'timers', row)),
  ];
  return (local, digest) => {
    const renamed = (text: string): string =>
      text
        .replaceAll(template.account, `acct_${local}`)
        .replaceAll(template.key, `key_${local}`)
        .replaceAll(template.digest, digest);
    for (const insert of inserts) insert(renamed);
  };
}

function inserter(db: Database.Database, table: string, row: Row): (renamed: (text: string) => string) => void {
  const names = Object.keys(row).filter((name) => name !== 'n');
  const statement = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return (renamed) => {
    const address = renamed(String(row.address));
    const computed: Row = { hash: ownerHash(ownerOf(address)), shard: shardOf(address, SHARDS_DEFAULT) };
    const values = names.map((name) => {
      const value = row[name];
      return name in computed ? computed[name] : typeof value === 'string' ? renamed(value).replace(SUM, '}') : value;
    });
    statement.run(...values);
  };
}
