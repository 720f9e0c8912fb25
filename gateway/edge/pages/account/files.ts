import { deleteFile, listFiles } from '../../../../actors/file/file.ts';
import { isFileId } from '../../../../actors/terms/ids.ts';
import { noSuchFile, requireFile } from '../../../files/read-file.ts';
import { sendFile } from '../../api/files/file-content.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateContent, privateForm, privatePage } from '../page-route.ts';
import { buttonForm, olderLink, table } from '../parts/elements.ts';
import { bytesText, time } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;

/** `/account/files`: stored files, to download and to delete. */
export const filePageRoutes: readonly Route[] = [
  ...privatePage('/account/files', showList),
  ...privateContent('/account/files/:id/content', async ({ context, edge, session }) =>
    sendFile(context, edge, await requireFile(edge.services.files, session.account, paramOf(context, 'id'))),
  ),
  privateForm('/account/files/:id/delete', remove),
];

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const asked = new URLSearchParams(context.query).get('after');
  const { files, hasMore } = await listFiles(edge.services.cluster, session.account, {
    ...{ purpose: null, order: 'descending', limit: PAGE },
    after: asked !== null && isFileId(asked) ? asked : null,
  });
  const list = table({
    caption: 'Stored files, newest first',
    columns: ['Stored (UTC)', 'File', 'Type', 'Purpose', { number: 'Size' }, 'Gone (UTC)', ''],
    rows: files.map((file) => [
      time(file.createdAt),
      html`<a href="/account/files/${file.id}/content">${file.filename}</a><br><code class="hint">${file.id}</code>`,
      ...[file.mimeType, file.purpose, bytesText(file.bytes), time(file.expiresAt)],
      buttonForm({
        ...{ action: `/account/files/${file.id}/delete`, token: session.token, label: 'Delete', kind: 'danger' },
        about: file.filename,
      }),
    ]),
    empty: html`No file is stored. <code>POST /api/v1/files</code> stores one for 48 hours.`,
  });
  const content = html`${section('Stored files', list)}
${olderLink('/account/files', hasMore ? (files.at(-1)?.id ?? null) : null)}`;
  return accountPage(visit, { title: 'Files', place: '/account/files', content });
}

async function remove({ context, edge, site, session }: PrivateFormVisit): Promise<RouteAnswer> {
  const { files, cluster, askMs } = edge.services;
  const file = await requireFile(files, session.account, paramOf(context, 'id'));
  if (!(await deleteFile(cluster, file, askMs))) throw noSuchFile();
  return redirectAnswer('/account/files', site);
}
