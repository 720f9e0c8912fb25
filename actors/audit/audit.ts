/** The audit log's kind, one actor per account and one of the operator, and its client functions. */
import { AskError, type Cluster, type Json, type Kind, ownerOf, type RowReader, type View } from '../runtime/index.ts';
import { type AuditRecord, auditEvent, type ChainedLog, OPERATOR_LOG, sequenceId } from '../terms/audit.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { auditAddress } from '../terms/ids.ts';
import { newestOpening, type Opening, type Prune } from '../terms/opening.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { AUDIT_PLACES, type AuditState, auditMachine, auditRows } from './audit.machine.ts';
import {
  AUDIT,
  type AuditEntry,
  type AuditHead,
  type AuditPlace,
  type AuditVerdict,
  AuditVerifier,
  EMPTY_LOG,
} from './audit-entry.ts';

const BY_TARGET = 0;
const BY_ACTION = 1;
/** The value of the first column of every place; the second is the action. */
const EVERY_PLACE = '*';
/** Entries that one read of the store returns. */
const PAGE_MAX = 1_000;

export const auditKind: Kind = {
  name: 'audit',
  machine: auditMachine,
  version: 1,
  creates: ['audit.append', 'audit.record'],
  finishes: ['audit.append'],
  volatile: ['audit.head'],
  collections: {
    [AUDIT.entries]: {
      sort: (entry: AuditEntry) => entry.sequence,
      index: [(entry: AuditEntry) => entry.target, (entry: AuditEntry) => entry.action],
    },
    [AUDIT_PLACES]: {
      sort: ({ at }: AuditPlace) => at,
      index: [() => EVERY_PLACE, ({ action }: AuditPlace) => action],
    },
    [AUDIT.openings]: { sort: ({ sequence }: Opening) => sequence },
  },
  rows: auditRows,
  explain,
  redact: (context: Json) => context,
};

function explain({ context, address }: View): readonly string[] {
  const { last } = context as unknown as AuditState;
  if (last === null) return ['No change is recorded yet.'];
  const at = new Date(last.at).toISOString();
  const changes = `${last.sequence} changes are recorded; the newest is ${last.action} of ${last.target} at ${at}.`;
  return [changes, `\`troupe audit ${ownerOf(address)} --verify\` checks the whole chain.`];
}

/** Rows as a node or the operator's client reads them. */
type AuditReader = Pick<RowReader, 'rows'>;

interface AuditQuery {
  /** 1 to 1000. */
  readonly limit: number;
  /** Continues below this sequence; null begins with the newest entry. */
  readonly before: number | null;
  /** Only entries of this target, or of this action; at most one of the two. */
  readonly target?: string;
  readonly action?: string;
}

/** The rows of a log. `owner` is an account id, or `OPERATOR_LOG`, here and below. */
export function auditLog(owner: string): ChainedLog {
  return { collection: AUDIT.entries, address: auditAddress(owner) };
}

/** Entries of a log, newest first. */
export async function listAudit(
  reader: AuditReader,
  owner: string,
  { limit, before, target, action }: AuditQuery,
): Promise<readonly AuditEntry[]> {
  const equals = target ?? action;
  const column = target === undefined ? BY_ACTION : BY_TARGET;
  const rows = await reader.rows({
    ...auditLog(owner),
    order: 'descending',
    limit,
    ...(equals === undefined ? {} : { where: { column, equals } }),
    ...(before === null ? {} : { after: { sort: before, id: sequenceId(before) } }),
  });
  return rows.map(({ body }) => JSON.parse(body) as AuditEntry);
}

/** The places of the entries of all logs, or of those with one action, in the order of time. */
export function auditPlaces(action: string | undefined) {
  const where = action === undefined ? { column: 0, equals: EVERY_PLACE } : { column: 1, equals: action };
  return { collection: AUDIT_PLACES, where } as {
    readonly collection: string;
    readonly where: { column: 0 | 1; equals: string };
  };
}

/** The oldest entry about a target, which tells how it came to be; null without one. */
export async function firstEntryOf(reader: AuditReader, owner: string, target: string): Promise<AuditEntry | null> {
  const where = { column: BY_TARGET, equals: target } as const;
  const [row] = await reader.rows({ ...auditLog(owner), where, limit: 1 });
  return row === undefined ? null : (JSON.parse(row.body) as AuditEntry);
}

/** The index column that finds the entries of one action. */
export function actionColumn(action: string): { readonly column: 1; readonly equals: string } {
  return { column: BY_ACTION, equals: action };
}

interface AuditVerification {
  readonly reader: AuditReader;
  readonly cluster: Pick<Cluster, 'ask'>;
  readonly withinMs: number;
  /** Only the newest entries, at most; absent: the whole log. */
  readonly entriesMax?: number;
}

/**
 * Verifies a log against its actor: order, gaps, hashes, and that its newest entry is not missing. Begins again where
 * entries were removed meanwhile.
 */
export async function verifyAudit(owner: string, given: AuditVerification): Promise<AuditVerdict> {
  const openingNow = (): Promise<Opening | null> => newestOpening(given.reader, AUDIT, auditAddress(owner));
  let opening = await openingNow();
  for (;;) {
    const verdict = await verifyFrom(opening ?? EMPTY_LOG, owner, given);
    const later = verdict.sound ? opening : await openingNow();
    if (later?.sequence === opening?.sequence) return verdict;
    opening = later;
  }
}

async function verifyFrom(
  opening: AuditHead,
  owner: string,
  { reader, cluster, withinMs, entriesMax = Number.POSITIVE_INFINITY }: AuditVerification,
): Promise<AuditVerdict> {
  const head = await showAuditHead(cluster, owner, withinMs);
  const skipped = Math.max(opening.sequence, head.sequence - entriesMax);
  const from = skipped === opening.sequence ? opening : await entryAt(reader, owner, skipped);
  if (from === null) return { sound: false, sequence: skipped, reason: 'missing' };
  const verifier = new AuditVerifier(owner, opening, from);
  const query = { ...auditLog(owner), limit: PAGE_MAX } as const;
  for (let sort = skipped, full = true; full; ) {
    const rows = await reader.rows({ ...query, after: { sort, id: sequenceId(sort) } });
    verifier.add(rows.map(({ body }) => JSON.parse(body) as AuditEntry));
    sort = rows.at(-1)?.sort ?? sort;
    full = rows.length === PAGE_MAX;
  }
  return verifier.end(head);
}

/** Answers the opening of what remains. Refused: 409 where the log does not begin with these entries. */
export function pruneAudit(
  cluster: Pick<Cluster, 'ask'>,
  log: string,
  part: Prune<AuditEntry>,
  withinMs: number,
): Promise<Opening | RefusedAnswer> {
  return ask(cluster, log, { type: 'audit.prune', ...part, entries: plain(part.entries) }, withinMs);
}

/** Records a change that no actor makes in the operator's log. The caller begins the change after it. */
export async function recordOperatorChange(
  cluster: Pick<Cluster, 'ask'>,
  record: AuditRecord,
  withinMs: number,
): Promise<void> {
  await cluster.ask(auditAddress(OPERATOR_LOG), auditEvent(record), { withinMs });
}

/** The newest entry of a log as its actor remembers it. */
async function showAuditHead(cluster: Pick<Cluster, 'ask'>, owner: string, withinMs: number): Promise<AuditHead> {
  try {
    return await ask<AuditHead>(cluster, auditAddress(owner), { type: 'audit.head' }, withinMs);
  } catch (thrown) {
    if (thrown instanceof AskError && thrown.failure.code === 'absent') return EMPTY_LOG;
    throw thrown;
  }
}

async function entryAt(reader: AuditReader, owner: string, sequence: number): Promise<AuditHead | null> {
  const [entry] = await listAudit(reader, owner, { limit: 1, before: sequence + 1 });
  return entry?.sequence === sequence ? entry : null;
}
