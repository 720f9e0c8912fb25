/**
 * The audit log of an account as a chart: it appends and remembers the newest entry. It has no event that changes or
 * removes an entry. The entry of a change is in the commit of the change.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, type Json, ownerOf, type Stamped } from '../runtime/index.ts';
import { sequenceId } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';
import {
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

type AuditEvent = AuditAppend | (Stamped & { readonly type: 'audit.head' });

export const AUDIT = 'audit';
/** Where the entries of all logs are, in the order of time. */
export const AUDIT_PLACES = 'audit-place';

export const auditMachine = setup({
  types: {} as { context: AuditState; events: AuditEvent; input: { address: string } },
  actions: {
    append: assignOn(['audit.append', 'audit.record'], (state: AuditState, event: AuditAppend) => ({
      last: entryOf(state, event),
    })),
    putEntry: emitOn('*', putEntry),
    answerHead: emitOn('*', (state: AuditState) => reply(headOf(state))),
  },
}).createMachine({
  id: AUDIT,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, last: null }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'audit.append': { actions: ['append', 'putEntry'] },
        'audit.record': { actions: ['append', 'putEntry', 'answerHead'] },
        'audit.head': { actions: 'answerHead' },
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
    { type: 'put', collection: AUDIT, id, body: plain(last) },
    { type: 'put', collection: AUDIT_PLACES, id: `${account} ${id}`, body: plain(place) },
  ];
}
