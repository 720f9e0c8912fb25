import { listAudit } from '../../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../../actors/audit/audit-entry.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { type Html, html } from '../html.ts';
import { type PrivateVisit, privatePage } from '../page-route.ts';
import { badge, olderLink, table } from '../parts/elements.ts';
import { countText, shortId, time } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;

/** `/account/audit`: who changed what, and when. */
export const auditPageRoutes: readonly Route[] = privatePage('/account/audit', showAudit);

async function showAudit(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const before = sequenceOf(new URLSearchParams(context.query).get('after'));
  const found = await listAudit(edge.services.cluster.rows, session.account, { limit: PAGE + 1, before });
  const entries = found.slice(0, PAGE);
  const last = found.length > PAGE ? String(entries.at(-1)?.sequence) : null;
  const content = html`${section('Changes', auditTable(entries))}
${olderLink('/account/audit', last)}`;
  return accountPage(visit, { title: 'Audit log', place: '/account/audit', content });
}

function auditTable(entries: readonly AuditEntry[]): Html {
  return table({
    caption: 'Audit entries, newest first',
    columns: [{ number: 'Entry' }, 'Time (UTC)', 'Action', 'Target', 'By', 'From', 'Result', 'Detail'],
    rows: entries.map(({ sequence, at, action, target, by, result, detail }) => [
      ...[countText(sequence), time(at), html`<code>${action}</code>`, shortId(target)],
      html`${by.kind} ${shortId(by.id)}`,
      ...[by.address ?? '', badge(result)],
      detail !== null && html`<code>${JSON.stringify(detail)}</code>`,
    ]),
    empty: 'Nothing has been changed yet.',
  });
}

/** A text that is no sequence begins anew. */
function sequenceOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}
