import { type Static, Type } from 'typebox';
import { auditLog, auditPlaces, listAudit, verifyAudit } from '../../../actors/audit/audit.ts';
import type { AuditEntry, AuditPlace, AuditVerdict } from '../../../actors/audit/audit-entry.ts';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { OPERATOR_LOG, sequenceId } from '../../../actors/terms/audit.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listed, listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { accountNamed } from '../lists/named.ts';
import { PLACE, walk } from '../lists/walk.ts';
import { ActorNames } from '../names.ts';
import { ASK_MS } from './account/managing.ts';

const FILTER = listQuery({
  account: Type.Optional(
    Type.String({ description: 'id, address or whole name; `operator`: what concerns no account' }),
  ),
  action: Type.Optional(Type.String({ description: 'such as `key.disable`' })),
});

export const auditRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/audit',
    policy: 'viewer',
    summary: 'Who changed what in all accounts or in one, with the reason, the newest first.',
    query: FILTER,
    answers: listOf(Type.Object({}, { description: 'one entry' })),
    answer: ({ cluster, query }) => (query.account === undefined ? ofAll(cluster, query) : ofOne(cluster, query)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/audit/verify',
    policy: 'viewer',
    summary: 'Whether the whole log of an account, or of the operator, is complete and unchanged.',
    query: Type.Object({ account: Type.String({ description: 'id of an account, or `operator`' }) }),
    answer: ({ cluster, query: { account } }): Promise<AuditVerdict> =>
      verifyAudit(account, { reader: cluster.rows, cluster, withinMs: ASK_MS }),
  }),
];

type AuditQuery = Static<typeof FILTER>;

/** The places are in the order of time; each names its entry. */
async function ofAll({ rows }: Cluster, query: AuditQuery) {
  const { limit, after } = pageOf(query, PLACE);
  const found = await walk(rows, { streams: [auditPlaces(query.action)], after, limit });
  const names = new ActorNames(rows);
  const entries = found.rows.map(async ({ body }) => {
    const { account, sequence } = JSON.parse(body) as AuditPlace;
    const { address, collection } = auditLog(account);
    const row = await rows.row(address, collection, sequenceId(sequence));
    return row === null ? [] : [await shown(JSON.parse(row.body) as AuditEntry, names)];
  });
  return walked((await Promise.all(entries)).flat(), found.next);
}

async function ofOne({ rows }: Cluster, query: AuditQuery) {
  const { account = OPERATOR_LOG, action } = query;
  const { limit, after } = pageOf(query, Type.Object({ sequence: Type.Number() }));
  const owner = account === OPERATOR_LOG ? OPERATOR_LOG : ownerOf(await accountNamed(rows, account));
  const asked = { limit: limit + 1, before: after?.sequence ?? null, ...(action === undefined ? {} : { action }) };
  const entries = await listAudit({ rows: (one) => rows.rows(one) }, owner, asked);
  const names = new ActorNames(rows);
  const page = listed(entries, limit, { keyOf: ({ sequence }) => ({ sequence }), entryOf: (one) => one });
  return { ...page, data: await Promise.all(page.data.map((one) => shown(one, names))) };
}

/** One entry of the log. */
export type ShownAuditEntry = Awaited<ReturnType<typeof shown>>;

async function shown({ account, sequence, at, action, target, by, result, detail }: AuditEntry, names: ActorNames) {
  const address = account === OPERATOR_LOG ? null : accountAddress(account);
  const { reason, ...rest } = detail as { readonly reason?: unknown };
  return {
    id: `${account} ${sequence}`,
    at,
    account: address,
    accountName: address === null ? null : await names.of(address),
    principal: `${by.kind} ${by.id}${by.address === undefined ? '' : ` from ${by.address}`}`,
    action,
    target,
    result,
    reason: typeof reason === 'string' ? reason : null,
    detail: Object.keys(rest).length === 0 ? null : JSON.stringify(rest),
  };
}
