/**
 * Multiplies what the product stored for one account, straight into the database of a cluster that is down: every actor,
 * row and timer of the account again under other ids, at other times of the same day. A copy has the columns that the
 * product would have written; only ids that are derived from other ids, and the hashes of ledgers and audit logs, are not
 * derived again.
 */

import { deepStrictEqual as deepEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { kinds } from '../../actors/kinds.ts';
import { deriveRow } from '../../actors/runtime/actor/cascade/row-writes.ts';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import { kindOf, ownerHash, ownerOf, SHARDS_DEFAULT, shardOf } from '../../actors/runtime/index.ts';
import { stateOf } from '../../actors/runtime/stores/state-of.ts';
import { defaultWorkspaceId, KEY_PREFIX, keyDigest, keyHandle } from '../../actors/terms/ids.ts';
import type { CopySink, Table, Value } from './copy-sinks.ts';

/** The account that is multiplied, with one key. */
export interface Original {
  /** Its address. */
  readonly account: string;
  readonly key: string;
  /** Ends with `0000000`, in whose place each copy has its number. */
  readonly name: string;
}

interface Copying {
  readonly pepper: Uint8Array;
  readonly count: number;
  /** When the original was begun, ms. */
  readonly begun: number;
  /**
   * The times of all copies lie within this time before now, which is of the same UTC day. One copy takes half of it, so
   * that what one second of the original has is a second of the copy, and the seconds lie far apart.
   */
  readonly spreadMs: number;
}

const KINDS = new Map(kinds.map((kind) => [kind.name, register(kind)]));
const TABLES: readonly Table[] = ['rows', 'actors', 'timers'];
const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600_000;
const LOCAL_LENGTH = 20;
/** Digits of the id's place among the ids of one copy. */
const PLACE_DIGITS = 4;
const TIME_DIGITS = 12;
const COUNT_DIGITS = 7;

/** The key of the n-th copy. */
export function storedKey(n: number): string {
  return `${KEY_PREFIX}${createHash('sha256').update(`key ${n}`).digest('hex')}`;
}

/** The id of the n-th copy, without its kind. */
export function storedAccount(n: number): string {
  return `acct_${digestOf(n).toString('hex').slice(0, LOCAL_LENGTH)}`;
}

function digestOf(n: number): Buffer {
  return createHash('sha256').update(String(n)).digest();
}

/** The name of the n-th copy. */
export function storedName(name: string, n: number): string {
  return name.slice(0, -COUNT_DIGITS) + String(n).padStart(COUNT_DIGITS, '0');
}

/**
 * Writes the copies 1 to `count - 1`; the original is number 0 and keeps its ids. Throws if a copy that is read again has
 * other columns than the product would have written.
 */
export async function storeCopies(sink: CopySink, original: Original, copying: Copying): Promise<void> {
  const slots = new Slots(original, copying);
  const tables: { readonly table: Table; readonly templates: readonly Template[] }[] = [];
  for (const table of TABLES)
    tables.push({ table, templates: (await sink.of(table, original.account)).map(templateOf) });
  await sink.begin();
  for (const { table, templates } of tables) {
    const [first] = templates;
    if (first !== undefined) await sink.fill(table, Object.keys(first), copiesOf(templates));
  }
  await sink.end();
  for (const { table, templates } of tables) await check(sink, table, templates, slots.copies());

  function templateOf(row: Readonly<Record<string, Value>>): Template {
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        // A day after the original's: timers that are due would wake all the copies at once.
        if (name === 'due_at') return [name, () => Number(value) + DAY_MS];
        if (name !== 'expires_at' || value === null) return [name, slots.fieldOf(value)];
        const sort = slots.fieldOf(row.sort as Value);
        return [name, (copy) => Number(sort(copy)) + Number(value) - Number(row.sort)];
      }),
    );
  }

  function* copiesOf(templates: readonly Template[]): Iterable<readonly Value[]> {
    for (const copy of slots.copies()) for (const template of templates) yield Object.values(rowOf(template, copy));
  }
}

/** The first copy, as it is read from the database. */
async function check(
  sink: CopySink,
  table: Table,
  templates: readonly Template[],
  copies: Iterable<readonly string[]>,
): Promise<void> {
  for (const copy of copies) {
    const made = templates.map((template) => rowOf(template, copy));
    const addresses = [...new Set(made.map(({ address }) => String(address)))];
    const stored: Row[] = [];
    for (const address of addresses) stored.push(...(await sink.at(table, address)));
    const inOrder = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    deepEqual(inOrder(stored), inOrder(made));
    for (const row of stored) deepEqual(row, { ...row, ...derivedOf(table, row) });
    return;
  }
}

/** The columns of a row that the product computes, as it does; SQLite has 0 and 1 for booleans. */
function derivedOf(table: Table, row: Row): Row {
  const address = String(row.address);
  const shard = shardOf(address, SHARDS_DEFAULT);
  if (table === 'timers') return { shard };
  const kind = KINDS.get(kindOf(address));
  if (table === 'actors') {
    const placed = { kind: kindOf(address), owner: ownerOf(address), hash: ownerHash(ownerOf(address)), shard };
    return { ...placed, state: stateOf(String(row.snapshot)), chart: kind?.version ?? null };
  }
  const collection = kind?.collections.get(String(row.collection));
  if (collection === undefined) return { index0: row.index0 === null ? null : String(shard) };
  const { sort, index, open, expiresAt } = deriveRow(
    null as never,
    collection,
    String(row.id),
    JSON.parse(String(row.body)),
  );
  const [index0 = null, index1 = null, index2 = null, index3 = null] = index;
  const isOpen = typeof row.open === 'number' ? Number(open) : open;
  return { sort, index0, index1, index2, index3, open: isOpen, expires_at: expiresAt };
}

type Row = Readonly<Record<string, Value>>;
type Field = (copy: readonly string[]) => Value;
type Template = Readonly<Record<string, Field>>;

/** What the address of a row decides is computed from the new one; of the runtime's own rows it is the first column too. */
function rowOf(template: Template, copy: readonly string[]): Row {
  const row: Record<string, Value> = {};
  for (const name in template) row[name] = (template[name] as Field)(copy);
  const address = String(row.address);
  if (row.shard !== undefined) row.shard = shardOf(address, SHARDS_DEFAULT);
  if (row.hash !== undefined) row.hash = ownerHash(ownerOf(address));
  const ofRuntime = typeof row.collection === 'string' && row.collection.startsWith('$');
  if (ofRuntime && row.index0 !== null) row.index0 = String(shardOf(address, SHARDS_DEFAULT));
  return row;
}

/** A text of the original that differs in every copy. */
type Slot = (copy: { readonly n: number; readonly local: string; readonly olderMs: number }) => string;

/** The end of a snapshot; one without its sum is accepted unchanged, like one that an operator repaired. */
const SUM = /,"sum":"[0-9a-f]{8}"\}$/;
const TIME = '(?<![0-9A-Za-z._-])1[789][0-9]{11}(?![0-9])';
const IDS = [
  'gen-[0-9]{10}-[0-9A-Za-z]{20}',
  '(?:batch|file|vjob|evt|breq)_[0-9a-f]{32}',
  '(?:key|ws|dep|adj)_[0-9A-Za-z]{20}',
];

class Slots {
  readonly #copying: Copying;
  readonly #account: string;
  readonly #places = new Map<string, number>();
  readonly #slots: Slot[] = [];
  readonly #pattern: RegExp;
  readonly #named: ReadonlyMap<string, Slot>;
  /** The first ms of the day on which the original was made. */
  readonly #day: number;
  readonly #now = Date.now();
  /** How many seconds of a copy follow where the original has one. */
  readonly #factor: number;

  constructor({ account, key, name }: Original, copying: Copying) {
    this.#copying = copying;
    this.#account = account.slice('account:'.length);
    const copyName: Slot = ({ n }) => storedName(name, n);
    this.#named = new Map<string, Slot>([
      [this.#account, ({ local }) => `acct_${local}`],
      [keyDigest(copying.pepper, key), ({ n }) => keyDigest(copying.pepper, storedKey(n))],
      [keyHandle(key), ({ n }) => keyHandle(storedKey(n))],
      [defaultWorkspaceId(this.#account), ({ local }) => defaultWorkspaceId(`acct_${local}`)],
      [name, copyName],
      [name.toLowerCase(), (copy) => copyName(copy).toLowerCase()],
    ]);
    this.#pattern = new RegExp([...this.#named.keys(), ...IDS, TIME].join('|'), 'g');
    this.#day = this.#now - (this.#now % DAY_MS);
    this.#factor = Math.max(1, Math.floor(copying.spreadMs / 2 / (this.#now - copying.begun + SECOND_MS)));
  }

  /** A time of a copy that is not older than the original; what follows later follows as late. */
  #apart(ms: number): number {
    const before = Math.max(0, Math.floor(this.#now / SECOND_MS) - Math.floor(ms / SECOND_MS));
    return ms - before * (this.#factor - 1) * SECOND_MS;
  }

  fieldOf(value: Value): Field {
    if (typeof value === 'string') return this.#textOf(value.replace(SUM, '}'));
    if (typeof value !== 'number' || !this.#isTime(value)) return () => value;
    const at = this.#at(String(value));
    return (copy) => Number(copy[at]);
  }

  /** Ids like random ones, in the order of the indexes that are kept; from 1. */
  *copies(): Iterable<readonly string[]> {
    const { count, spreadMs } = this.#copying;
    const locals = Array.from({ length: count - 1 }, (_, at) => {
      const digest = digestOf(at + 1);
      const share = digest.readUInt32BE(28) / 2 ** 32;
      return { n: at + 1, local: digest.toString('hex').slice(0, LOCAL_LENGTH), share };
    }).sort((a, b) => (a.local < b.local ? -1 : 1));
    for (const { n, local, share } of locals) {
      const copy = { n, local, olderMs: Math.floor((share * spreadMs) / 2) };
      yield this.#slots.map((slot) => slot(copy));
    }
  }

  /** Days, which begin at midnight UTC, are the same in every copy. */
  #isTime(value: number): boolean {
    return value >= this.#day && value < this.#day + 10_000 * DAY_MS && value % DAY_MS !== 0;
  }

  #textOf(text: string): Field {
    const literals: string[] = [];
    const places: number[] = [];
    let from = 0;
    for (const { 0: token, index } of text.matchAll(this.#pattern)) {
      if (/^[0-9]+$/.test(token) && !this.#isTime(Number(token))) continue;
      literals.push(text.slice(from, index));
      places.push(this.#at(token));
      from = index + token.length;
    }
    const last = text.slice(from);
    if (places.length === 0) return () => text;
    return (copy) => {
      let made = '';
      for (let i = 0; i < places.length; i++) made += (literals[i] as string) + copy[places[i] as number];
      return made + last;
    };
  }

  #at(token: string): number {
    const known = this.#places.get(token);
    if (known !== undefined) return known;
    const slot = this.#named.get(token) ?? this.#slotOf(token, this.#slots.length);
    const at = this.#slots.push(slot) - 1;
    this.#places.set(token, at);
    return at;
  }

  /** A time, or an id of which the time and the random part differ. */
  #slotOf(token: string, place: number): Slot {
    const ordinal = place.toString(16).padStart(PLACE_DIGITS, '0');
    const random = (local: string): string => local.slice(0, LOCAL_LENGTH - PLACE_DIGITS) + ordinal;
    const gen = /^gen-([0-9]{10})-/.exec(token);
    if (gen) {
      const ms = this.#apart(Number(gen[1]) * SECOND_MS);
      return ({ local, olderMs }) => `gen-${Math.floor((ms - olderMs) / SECOND_MS)}-${random(local)}`;
    }
    const [prefix, rest] = [token.slice(0, token.indexOf('_') + 1), token.slice(token.indexOf('_') + 1)];
    if (/^(?:batch|file|vjob)_/.test(prefix)) {
      const ms = this.#apart(Number.parseInt(rest.slice(0, TIME_DIGITS), 16));
      return ({ local, olderMs }) => prefix + (ms - olderMs).toString(16).padStart(TIME_DIGITS, '0') + random(local);
    }
    if (prefix !== '') return ({ local }) => prefix + random(local).padStart(rest.length, '0');
    const ms = this.#apart(Number(token));
    return ({ olderMs }) => String(ms - olderMs);
  }
}
