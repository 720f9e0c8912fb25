/**
 * An actor's state in memory and as stored: the text with its check sum, and the restoring of it. A text that this build's
 * chart cannot restore unchanged is refused; no state is ever repaired or guessed.
 */
import { crc32 } from 'node:zlib';
import type { AnyMachineSnapshot } from 'xstate';
import { textHash } from '../../collections/text-hash.ts';
import type { ActorRecord } from '../../ports/store.ts';
import type { Json } from '../event.ts';
import type { Kind, SavedState } from '../kind.ts';
import { chartRange } from './chart-range.ts';
import type { RegisteredKind } from './register.ts';

/** A chart's state in memory: XState's own object, never started, never mutated. */
export type Snapshot = AnyMachineSnapshot;

/** A stored snapshot that this build's chart cannot restore unchanged. Loading it anyway would invent state. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  readonly address: string;
  constructor(address: string, reason: string) {
    super(`${address} cannot be restored: ${reason}`);
    this.address = address;
  }
}

/** The JSON text of a snapshot as it is stored: state value, context and status, nothing else. */
export function persist(snapshot: Snapshot): string {
  return JSON.stringify({ value: snapshot.value, context: snapshot.context, status: snapshot.status });
}

/** The same at the chart version that the kind is written at, which may be the one before this build's. */
export function persistAt({ level, version, downcast }: RegisteredKind, snapshot: Snapshot): string {
  if (level === version || downcast === null) return persist(snapshot);
  const { value, context, status } = downcast({
    value: snapshot.value as Json,
    context: snapshot.context as Json,
    status: snapshot.status as SavedState['status'],
  });
  return JSON.stringify({ value, context, status });
}

/** The members of a stored actor that `restore` reads. */
interface Saved {
  readonly address: string;
  readonly chart: number;
  readonly snapshot: string;
}

/**
 * Restores the snapshot exactly as saved, or throws `RestoreRefused`. XState silently adds regions that the saved value
 * lacks and drops states the chart no longer has, so the restored value is compared with the saved one.
 */
export function restore(kind: RegisteredKind, saved: Saved): Snapshot {
  const { value, context, status } = asOwnChart(kind, saved);
  let restored: Snapshot;
  try {
    restored = kind.machine.resolveState({ value, context, status } as never) as Snapshot;
  } catch (error) {
    throw new RestoreRefused(saved.address, error instanceof Error ? error.message : String(error));
  }
  if (!same(restored.value, value)) {
    const now = JSON.stringify(restored.value);
    throw new RestoreRefused(saved.address, `saved in state ${JSON.stringify(value)}, the chart makes it ${now}`);
  }
  if (restored.status !== status) {
    throw new RestoreRefused(saved.address, `saved as ${String(status)}, the chart makes it ${restored.status}`);
  }
  return restored;
}

/** The saved state, converted to the chart of this build. */
function asOwnChart(kind: RegisteredKind, saved: Saved): { value: unknown; context: unknown; status: unknown } {
  const { address, chart } = saved;
  const { loads, version } = chartRange(kind);
  if (chart > version) throw new RestoreRefused(address, `written by chart ${chart}, this build has ${version}`);
  if (chart < loads) throw new RestoreRefused(address, `written by chart ${chart}, this build loads from ${loads} on`);
  const parsed = parse(saved);
  if (chart === version || kind.upcast === null) return parsed;
  try {
    return kind.upcast(parsed as SavedState);
  } catch (error) {
    throw new RestoreRefused(address, `its up-caster threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(saved: Saved): { value: unknown; context: unknown; status: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(saved.snapshot);
  } catch {
    throw new RestoreRefused(saved.address, 'its snapshot is not JSON');
  }
  const { value, context, status } = (parsed ?? {}) as Record<string, unknown>;
  if (value === undefined || value === null) throw new RestoreRefused(saved.address, 'its snapshot has no state value');
  if (context === null || typeof context !== 'object') {
    throw new RestoreRefused(saved.address, 'its snapshot has no context');
  }
  if (status !== 'active' && status !== 'done') {
    throw new RestoreRefused(saved.address, `its snapshot has the status ${String(status)}`);
  }
  return { value, context, status };
}

/** True for equal state values, in any order of their regions. */
function same(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => same((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]));
}

/**
 * The last members of a stored snapshot: store time of the actor's newest event, and a check sum over address, kind,
 * version, chart and the preceding text. It detects damage, not forgery. CRC-32 of zlib for the text (688 characters
 * 0.3 us, FNV-1a in JavaScript 1.1 us); the short members enter as its starting value. The transition log is not
 * covered: only operators read it.
 */
const TAIL = /,"at":([-+.e\d]{1,24}),"sum":"([0-9a-f]{8})"\}$/;
const TIME_CHARACTERS_MAX = 24;
const DIGITS = 8;
const SUM_LENGTH = `,"sum":"${'0'.repeat(DIGITS)}"}`.length;
const TAIL_LENGTH_MAX = ',"at":'.length + TIME_CHARACTERS_MAX + SUM_LENGTH;

/**
 * The members of a snapshot that an operator repaired and left without a sum. A damaged sum leaves another member, so
 * it does not look repaired.
 */
const REPAIRED = '{"value":';
const REPAIRED_MEMBERS: ReadonlySet<string> = new Set(['value', 'context', 'status', 'at']);

type Summed = Pick<ActorRecord, 'address' | 'kind' | 'version' | 'chart' | 'snapshot'>;

/** The text of `persist` with time and sum appended. `at`: store time of the actor's newest event, ms. */
export function withSum(record: Summed, at: number): string {
  const body = `${record.snapshot.slice(0, -1)},"at":${at}`;
  return `${body},"sum":"${sumOf(record, body)}"}`;
}

/**
 * The store time of the actor's newest event, ms; null for a repaired snapshot without one. @throws RestoreRefused when the
 * record differs from what was written.
 */
export function checkSum(record: Summed): number | null {
  const { address, snapshot } = record;
  const tail = TAIL.exec(snapshot.slice(-TAIL_LENGTH_MAX));
  if (tail !== null) {
    expect(record, tail[2] as string, sumOf(record, snapshot.slice(0, -SUM_LENGTH)));
    return Number(tail[1]);
  }
  if (isRepaired(snapshot)) return null;
  throw new RestoreRefused(address, 'its snapshot carries no check sum');
}

function expect({ address }: Summed, found: string, expected: string): void {
  if (found !== expected) {
    throw new RestoreRefused(address, 'its check sum does not fit: the row was changed or damaged');
  }
}

function isRepaired(snapshot: string): boolean {
  if (!snapshot.startsWith(REPAIRED)) return false;
  try {
    return Object.keys(JSON.parse(snapshot) as object).every((member) => REPAIRED_MEMBERS.has(member));
  } catch {
    return false;
  }
}

function sumOf({ address, kind, version, chart }: Summed, body: string): string {
  const start = textHash(` ${kind} ${version} ${chart}`, textHash(address));
  return crc32(body, start >>> 0)
    .toString(16)
    .padStart(DIGITS, '0');
}

/** The state as operators see it: with the note of the kind in brackets. */
export function shownState({ note }: Pick<Kind, 'note'>, state: string, context: Json): string {
  const word = note?.(context) ?? null;
  return word === null ? state : `${state} (${word})`;
}

/** The state of an actor that does not exist. */
export const ABSENT = 'absent';
