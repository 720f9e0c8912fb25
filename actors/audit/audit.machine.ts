/**
 * The audit log of an account as a chart: it appends and remembers the newest entry. It has no event that changes an
 * entry; old ones leave from the front, by whole months. The entry of a change is in the commit of the change.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, type Json, ownerOf, rowsOn, type Stamped } from '../runtime/index.ts';
import { sequenceId } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { isPrunable, type Opening, type Prune, pruned, pruneRows, refusePrune } from '../terms/opening.ts';
import type { Principal } from '../terms/principal.ts';
import {
  AUDIT,
  AUDIT_DETAIL_MAX,
  AUDIT_TEXT_MAX,
  type AuditEntry,
  type AuditHead,
  type AuditPlace,
  EMPTY_LOG,
  hashAudit,
} from './audit-entry.ts';

export interface AuditState {
  readonly address: string;
  /** The newest entry; null before the first. */
  readonly last: AuditEntry | null;
}

/** `audit.append` comes with the commit of a change; `audit.record` is
 * sent by the gateway for changes made outside actors. */
type AuditAppend = Stamped & {
  readonly type: 'audit.append' | 'audit.record';
  readonly action: string;
  readonly target: string;
  readonly by: Principal;
  readonly detail: Json;
  readonly result: 'done' | 'refused';
};

/** From the sweep of a node. */
type AuditPrune = Stamped & Prune<AuditEntry> & { readonly type: 'audit.prune' };

type AuditEvent = AuditAppend | AuditPrune | (Stamped & { readonly type: 'audit.head' });

/** Where the entries of all logs are, in the order of time. */
export const AUDIT_PLACES = 'audit-place';

export const auditRows = rowsOn({ 'audit.prune': (event: AuditPrune) => pruneRows(AUDIT, event) });

export const auditMachine = setup({
  types: {} as { context: AuditState; events: AuditEvent; input: { address: string } },
  guards: {
    isPrunable: guardOn('audit.prune', ({ last }: AuditState, event: AuditPrune) => isPrunable(AUDIT, event, last)),
  },
  actions: {
    append: assignOn(['audit.append', 'audit.record'], (state: AuditState, event: AuditAppend) => ({
      last: entryOf(state, event),
    })),
    putEntry: emitOn('*', putEntry),
    prune: emitOn('audit.prune', prune),
    refusePrune: emitOn('audit.prune', refusePrune),
    answerHead: emitOn('*', (state: AuditState) => reply(headOf(state))),
  },
}).createMachine({
  id: AUDIT.entries,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, last: null }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'audit.append': { actions: ['append', 'putEntry'] },
        'audit.record': { actions: ['append', 'putEntry', 'answerHead'] },
        'audit.head': { actions: 'answerHead' },
        'audit.prune': [{ guard: 'isPrunable', actions: 'prune' }, { actions: 'refusePrune' }],
      },
    },
  },
});

function headOf({ last }: AuditState): AuditHead {
  return last === null ? EMPTY_LOG : { sequence: last.sequence, hash: last.hash };
}

function entryOf(state: AuditState, event: AuditAppend): AuditEntry {
  const { sequence, hash: previous } = headOf(state);
  const { at, action, target, by, detail, result } = event;
  const entry = {
    account: ownerOf(state.address),
    sequence: sequence + 1,
    at,
    action: cut(action),
    target: cut(target),
    by: principalOf(by),
    result,
    detail: JSON.stringify(detail).length <= AUDIT_DETAIL_MAX ? detail : { left_out: true },
    previous,
  };
  return { ...entry, hash: hashAudit(entry) };
}

function principalOf({ kind, id, address }: Principal): Principal {
  return address === undefined ? { kind, id: cut(id) } : { kind, id: cut(id), address: cut(address) };
}

function cut(text: string): string {
  return text.slice(0, AUDIT_TEXT_MAX);
}

function putEntry({ last }: AuditState): Effect[] {
  if (last === null) throw new Error('an audit log is written before its first entry');
  const { account, sequence, at, action } = last;
  const id = sequenceId(sequence);
  const place: AuditPlace = { account, sequence, at, action };
  return [
    { type: 'put', collection: AUDIT.entries, id, body: plain(last) },
    { type: 'put', collection: AUDIT_PLACES, id: placeId(last), body: plain(place) },
  ];
}

function placeId({ account, sequence }: AuditEntry): string {
  return `${account} ${sequenceId(sequence)}`;
}

/** The entries with their places. */
function prune(_: AuditState, { month, entries }: AuditPrune): Effect[] {
  const { sequence, hash } = entries.at(-1) as AuditEntry;
  const opening: Opening = { month, sequence, hash };
  const places = entries.map((entry): Effect => ({ type: 'remove', collection: AUDIT_PLACES, id: placeId(entry) }));
  return [...pruned(AUDIT, opening, entries), ...places, reply(opening)];
}
