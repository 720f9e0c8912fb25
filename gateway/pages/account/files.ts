import { deleteFile } from '../../../actors/file/file.ts';
import {
  FILE_ACCOUNT,
  FILE_PURPOSE,
  type FileRecord,
  purposeColumn,
  UPLOAD_PURPOSES,
} from '../../../actors/file/file-record.ts';
import { fileAddress, isFileId } from '../../../actors/terms/ids.ts';
import { sendFile } from '../../edge/downloads/file-content.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { paramOf } from '../../edge/request-context.ts';
import type { FileServices } from '../../files/file-services.ts';
import { noSuchFile, requireFile } from '../../files/read-file.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { html } from '../kit/html.ts';
import { statusOption, timedOrder } from '../kit/list/chain-order.ts';
import type { List } from '../kit/list/list.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { redirectAnswer } from '../kit/page-answer.ts';
import {
  type PageRoute,
  type PrivateFormVisit,
  type PrivateVisit,
  privateContent,
  privateForm,
  privatePage,
} from '../kit/page-route.ts';
import { buttonForm } from '../kit/parts/elements.ts';
import { bytesText } from '../kit/parts/format.ts';
import { time } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { emptyList } from './empty-list.ts';

const PATH = '/account/files';

/** `/account/files`: stored files, to download and to delete. */
export function filePageRoutes(downloads: Downloading): readonly PageRoute[] {
  const { files } = downloads;
  return [
    ...privatePage(PATH, showList),
    ...privateContent(`${PATH}/:id/content`, async ({ context, session }) =>
      sendFile(context, downloads, await requireFile(files, session.account, paramOf(context, 'id'))),
    ),
    privateForm(`${PATH}/:id/delete`, (visit) => remove(visit, files)),
  ];
}

async function showList(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, fileList(visit));
  const { token } = visit.session;
  const content = listSection('Stored files', opened, {
    caption: 'Stored files',
    columns: ['File', 'Stored (UTC)', 'Type', 'Purpose', { number: 'Size' }, 'Gone (UTC)', ''],
    rows: opened.page.items.map(({ id, filename, createdAt, mimeType, purpose, bytes, expiresAt }) => [
      html`<a href="${PATH}/${id}/content" title="${id}">${filename}</a>`,
      time(createdAt),
      mimeType,
      purpose,
      bytesText(bytes),
      time(expiresAt),
      buttonForm({ action: `${PATH}/${id}/delete`, token, label: 'Delete', isDangerous: true, about: filename }),
    ]),
    empty: emptyList(visit, html`No file is stored. One stays for 48 hours, and requests refer to it by its id:`, {
      path: '/files',
      options: ['-F purpose=user_data', '-F file=@report.pdf'],
    }),
  });
  return accountPage(visit, { title: 'Files', place: PATH, content });
}

export function fileList({ services: { cluster }, session: { account } }: PrivateVisit): List<FileRecord> {
  return {
    path: PATH,
    noun: 'files',
    rows: { collection: 'file', where: { column: FILE_ACCOUNT, equals: account } },
    pageRows: 25,
    read: ({ body }) => {
      const file = JSON.parse(body) as FileRecord;
      return file.expiresAt > cluster.now() ? file : null;
    },
    timeOf: ({ createdAt }) => createdAt,
    ...timedOrder(isFileId),
    find: async (id) => (isFileId(id) ? cluster.rows.row(fileAddress(account, id), 'file', id) : null),
    texts: ({ id, filename, mimeType }) => [id, filename, mimeType],
    filters: [
      {
        name: 'purpose',
        title: 'Purpose',
        options: [...UPLOAD_PURPOSES, 'batch_output'].map(statusOption),
        matches: ({ purpose }, value) => purpose === value,
        where: (value) => ({ column: FILE_PURPOSE, equals: purposeColumn(account, value) }),
      },
    ],
    sorts: [
      { value: 'size', text: 'Largest first', compare: (a, b) => b.bytes - a.bytes },
      { value: 'name', text: 'By name', compare: (a, b) => a.filename.localeCompare(b.filename) },
    ],
  };
}

async function remove(
  { context, services, site, session }: PrivateFormVisit,
  files: FileServices,
): Promise<RouteAnswer> {
  const file = await requireFile(files, session.account, paramOf(context, 'id'));
  if (!(await deleteFile(services.cluster, file, services.askMs))) throw noSuchFile();
  return redirectAnswer(PATH, site);
}
