import { Type } from 'typebox';
import { listAudit, verifyAudit } from '../../../actors/audit/audit.ts';
import type { AuditEntry, AuditVerdict } from '../../../actors/audit/audit-entry.ts';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { sequenceId } from '../../../actors/terms/audit.ts';
import { flagOf, limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { after, limitTo, type Operations } from '../wire/operation.ts';
import { auditListSchema } from './audit-schema.ts';

const PAGE = { usual: 20, most: 100 } as const;
/** Entries whose chain one request may check. */
const VERIFIED_MAX = 10_000;

/** What the document says of the routes. */
export const AUDIT_OPERATIONS: Operations = {
  'GET /audit': {
    key: 'management',
    summary: 'The audit log of this account, newest first',
    description: 'Every change of keys, workspaces and account: numbered without gaps, chained by hashes.',
    answers: 'A page of the log.',
    query: {
      limit: limitTo(PAGE.most),
      after,
      action: Type.String({ description: 'Such as `key.revoke`; not together with `target`.' }),
      target: Type.String({ description: 'What was changed, as its entries name it.' }),
      verify: Type.Boolean({ description: 'true: checks the chain of the newest 10,000 entries.' }),
    },
    reply: { AuditList: auditListSchema },
  },
};

interface AuditParts {
  readonly cluster: Cluster;
  readonly askMs: number;
}

/** `GET /audit`: every change of keys, workspaces and account, to a management key of the account. */
export function auditRoute(parts: AuditParts): Route {
  return {
    method: 'GET',
    path: '/audit',
    policy: 'management',
    answer: (context) => showAudit(context, parts),
  };
}

async function showAudit(context: RequestContext, { cluster, askMs: withinMs }: AuditParts): Promise<RouteAnswer> {
  const owner = ownerOf(callerOf(context).key);
  const query = new URLSearchParams(context.query);
  const limit = limitOf(query, PAGE);
  const before = sequenceOf(textOf(query, 'after'));
  const found = await listAudit(cluster.rows, owner, { limit: limit + 1, before, ...filterOf(query) });
  const options = { reader: cluster.rows, cluster, withinMs, entriesMax: VERIFIED_MAX };
  const verdict = flagOf(query, 'verify') ? await verifyAudit(owner, options) : null;
  return jsonAnswer(JSON.stringify(auditPage(found, limit, verdict)));
}

function sequenceOf(after: string | null): number | null {
  if (after === null) return null;
  if (!/^\d{12}$/.test(after)) throw invalid('after must be the last_id of a page of the audit log');
  return Number(after);
}

function filterOf(query: URLSearchParams): { readonly target?: string; readonly action?: string } {
  const [target, action] = [textOf(query, 'target'), textOf(query, 'action')];
  if (target !== null && action !== null) throw invalid('target and action may not be given together');
  if (target !== null) return { target };
  return action === null ? {} : { action };
}

function auditPage(found: readonly AuditEntry[], limit: number, verdict: AuditVerdict | null): object {
  const data = found.slice(0, limit).map(auditObject);
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
    ...(verdict === null ? {} : { verification: verdict }),
  };
}

/** One entry as its owner reads it; `hash` and `previous` let the owner check the chain. */
function auditObject(entry: AuditEntry): { readonly id: string } {
  const { sequence, at, action, target, by, result, detail, previous, hash } = entry;
  const principal = { kind: by.kind, id: by.id, address: by.address ?? null };
  const created_at = new Date(at).toISOString();
  const id = sequenceId(sequence);
  return {
    id,
    object: 'audit_entry',
    sequence,
    created_at,
    action,
    target,
    by: principal,
    result,
    detail,
    previous,
    hash,
  } as { readonly id: string };
}
