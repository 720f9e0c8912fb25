/**
 * The message by which an actor records a change in the audit log of its account: sent in the step that changes, so the
 * entry is in the commit of the change itself.
 */
import { type Effect, type Json, ownerOf } from '../runtime/index.ts';
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
export function recordAudit(of: string, { action, target, by, detail, result }: AuditRecord): Effect {
  const event: Json = {
    type: 'audit.append',
    action,
    target,
    by: plain(by ?? UNNAMED),
    detail: plain(detail ?? {}),
    result: result ?? 'done',
  };
  return { type: 'send', to: auditAddress(ownerOf(of)), event: event as { readonly type: string } };
}
