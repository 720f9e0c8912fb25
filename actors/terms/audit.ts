/**
 * The message by which an actor records a change in the audit log of its account: sent in the step that changes, so the
 * entry is in the commit of the change itself.
 */
import { type ActorEvent, type Effect, ownerOf } from '../runtime/index.ts';
import { auditAddress } from './ids.ts';
import { plain } from './only.ts';
import { type Principal, UNNAMED } from './principal.ts';

/** The log of changes that concern no account. */
export const OPERATOR_LOG = 'operator';

export interface AuditRecord {
  /** A dotted noun and verb, such as `key.revoke`. */
  readonly action: string;
  /** The address or id of what was changed. */
  readonly target: string;
  readonly by: Principal | undefined;
  /** What changed, without secrets. At most `AUDIT_DETAIL_MAX` characters of JSON; a longer one is left out. */
  readonly detail?: object;
  /** Absent: `done`. `refused`: the actor answered the request with a refusal. */
  readonly result?: 'done' | 'refused';
}

/** `of` is the address of the actor whose change this is; its owner names the log. */
export function recordAudit(of: string, record: AuditRecord): Effect {
  return { type: 'send', to: auditAddress(ownerOf(of)), event: { type: 'audit.append', ...membersOf(record) } };
}

/** The event of a change that no actor makes: the log answers it, and the change begins after the answer. */
export function auditEvent(record: AuditRecord): ActorEvent {
  return { type: 'audit.record', ...membersOf(record) };
}

function membersOf({ action, target, by, detail, result }: AuditRecord) {
  return { action, target, by: plain(by ?? UNNAMED), detail: plain(detail ?? {}), result: result ?? 'done' };
}
