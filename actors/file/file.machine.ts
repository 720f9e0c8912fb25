/**
 * The file's chart: stored, deleted or expired. (rule B37) The row of the file exists in the state
 * `stored` only, so a reader needs no actor; its bytes are removed by the sweep of blobs that no row refers to. An
 * ended file is remembered for a while, so that operators can see what became of it.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { type FeedEventType, putFeedEvent } from '../terms/feed-event.ts';
import { accountAddress } from '../terms/ids.ts';
import type { FileRecord } from './file-record.ts';

export interface FileState {
  readonly address: string;
  /** Null only during the step that stores the file. */
  readonly file: Pick<FileRecord, 'id' | 'bytes' | 'createdAt' | 'expiresAt'> | null;
}

/** How long an ended file's actor stays. */
const REMEMBERED_MS = 48 * 3_600_000;
const EXPIRE = 'file.expire';
const FORGET = 'file.forget';

/** The feed event of a removal. */
export type Removal = { readonly type: Extract<FeedEventType, 'file.deleted' | 'file.expired'> };
const removeAs = (type: Removal['type']) => ({ type: 'removeFile', params: { type } }) as const;
const answerDelete = (deleted: boolean) => ({ type: 'answerDelete', params: { deleted } }) as const;

export const fileMachine = setup({
  types: {} as { context: FileState; events: FileEvent; input: { address: string } },
  guards: {
    isNew: guardOn('*', ({ file }: FileState) => file === null),
    isRepeat: guardOn('file.delete', (_: FileState, { repeat }: FileDelete) => repeat === true),
  },
  actions: {
    keepState: assignOn('file.store', (_: FileState, event: FileStore) => ({ file: keptOf(event) })),
    storeFile: emitOn('file.store', storeFile),
    answerStored: emitOn('*', ({ file }: FileState) => reply({ stored: true, ...file })),
    removeFile: emitOn('*', removeFile),
    answerDelete: emitOn('*', (_: FileState, __, { deleted }: { readonly deleted: boolean }) => reply({ deleted })),
    refuseEnded: emitOn('*', () => ({ type: 'refuse', body: { ended: true } })),
    forget: emitOn('*', () => ({ type: 'stop' })),
  },
}).createMachine({
  id: 'file',
  initial: 'stored',
  context: ({ input }) => ({ address: input.address, file: null }),
  options: { maxIterations: 1000 },
  states: {
    stored: {
      on: {
        'file.store': [
          { guard: 'isNew', actions: ['keepState', 'storeFile', 'answerStored'] },
          { actions: 'answerStored' },
        ],
        'file.delete': { target: 'deleted', actions: [removeAs('file.deleted'), answerDelete(true)] },
        'file.expire': { target: 'expired', actions: removeAs('file.expired') },
      },
    },
    deleted: {
      on: { 'file.delete': [{ guard: 'isRepeat', actions: answerDelete(true) }, { actions: answerDelete(false) }] },
    },
    expired: {},
  },
  on: {
    'file.store': { actions: 'refuseEnded' },
    'file.delete': { actions: answerDelete(false) },
    'file.expire': {},
    'file.forget': { actions: 'forget' },
  },
});

function keptOf({ file: { id, bytes }, lifetimeMs, at }: FileStore): FileState['file'] {
  return { id, bytes, createdAt: at, expiresAt: at + lifetimeMs };
}

/** The account counts the bytes in the same commit, or refuses and nothing is stored. */
function storeFile({ address, file: kept }: FileState, { file, accountBytesMax }: FileStore): readonly Effect[] {
  if (kept === null) throw new Error('a file is stored before its state is kept');
  const { createdAt, expiresAt } = kept;
  const record: FileRecord = { ...file, createdAt, expiresAt };
  const take = { type: 'storage.take', bytes: file.bytes, bytesMax: accountBytesMax };
  return [
    { type: 'put', collection: 'file', id: file.id, body: plain(record) },
    putFeedEvent({ id: file.id, account: file.account, type: 'file.stored', at: createdAt, object: record }),
    { type: 'schedule', name: EXPIRE, at: expiresAt, event: { type: EXPIRE } },
    { type: 'send', to: accountAddress(ownerOf(address)), event: take },
  ];
}

export function removeFile({ address, file }: FileState, { at }: Stamped, { type }: Removal): readonly Effect[] {
  if (file === null) throw new Error('a file is removed before it was stored');
  return [
    { type: 'remove', collection: 'file', id: file.id },
    putFeedEvent({ id: file.id, account: ownerOf(address), type, at, object: file }),
    { type: 'cancel', name: EXPIRE },
    { type: 'schedule', name: FORGET, at: at + REMEMBERED_MS, event: { type: FORGET } },
    { type: 'send', to: accountAddress(ownerOf(address)), event: { type: 'storage.give', bytes: file.bytes } },
  ];
}

/** What the uploader knows of a file; the step adds the times. */
export type NewFile = Omit<FileRecord, 'createdAt' | 'expiresAt'>;

export type FileStore = Stamped & {
  readonly type: 'file.store';
  readonly file: NewFile;
  /** Time for which the file can be read, ms. */
  readonly lifetimeMs: number;
  /** The most bytes that the account may have stored, this file included. */
  readonly accountBytesMax: number;
};

/** `repeat`: a second delivery, whose first one may have deleted the file. */
type FileDelete = Stamped & { readonly type: 'file.delete'; readonly repeat?: boolean };

type FileEvent =
  | FileStore
  | FileDelete
  /** Timer: the file's lifetime has ended. */
  | (Stamped & { readonly type: 'file.expire' })
  /** Timer: an ended file's id need no longer be known. */
  | (Stamped & { readonly type: 'file.forget' });
