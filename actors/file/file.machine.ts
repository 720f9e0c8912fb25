/**
 * The file's chart: stored, deleted or expired. (rule B37) The row of the file exists in the state
 * `stored` only, so a reader needs no actor; its bytes are removed by the sweep of blobs that no row refers to. An
 * ended file is remembered for a while, so that operators can see what became of it.
 */
import { assign, setup } from 'xstate';
import { type Effect, emit, ownerOf } from '../runtime/index.ts';
import { only, plain } from '../terms/chart-tools.ts';
import { type FeedEventType, putFeedEvent } from '../terms/feed-event.ts';
import { accountAddress } from '../terms/ids.ts';
import type { FileEvent, FileStore } from './events.ts';
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

export const fileMachine = setup({
  types: {} as { context: FileState; events: FileEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.file === null,
    isRepeat: ({ event }) => only(event, 'file.delete').repeat === true,
  },
  actions: {
    keep: assign({ file: ({ event }) => keptOf(only(event, 'file.store')) }),
    store: emit<FileState, FileEvent>(({ context, event }) => store(context, only(event, 'file.store'))),
    answerStored: emit<FileState, FileEvent>(({ context }) => reply({ stored: true, ...context.file })),
    removeDeleted: emit<FileState, FileEvent>(({ context, event }) => remove(context, 'file.deleted', event.at)),
    removeExpired: emit<FileState, FileEvent>(({ context, event }) => remove(context, 'file.expired', event.at)),
    answerDeleted: emit<FileState, FileEvent>(() => reply({ deleted: true })),
    answerAbsent: emit<FileState, FileEvent>(() => reply({ deleted: false })),
    refuseEnded: emit<FileState, FileEvent>(() => ({ type: 'refuse', body: { ended: true } })),
    forget: emit<FileState, FileEvent>(() => ({ type: 'stop' })),
  },
}).createMachine({
  id: 'file',
  initial: 'stored',
  context: ({ input }) => ({ address: input.address, file: null }),
  options: { maxIterations: 1000 },
  states: {
    stored: {
      on: {
        'file.store': [{ guard: 'isNew', actions: ['keep', 'store', 'answerStored'] }, { actions: 'answerStored' }],
        'file.delete': { target: 'deleted', actions: ['removeDeleted', 'answerDeleted'] },
        'file.expire': { target: 'expired', actions: 'removeExpired' },
      },
    },
    deleted: { on: { 'file.delete': [{ guard: 'isRepeat', actions: 'answerDeleted' }, { actions: 'answerAbsent' }] } },
    expired: {},
  },
  on: {
    'file.store': { actions: 'refuseEnded' },
    'file.delete': { actions: 'answerAbsent' },
    'file.expire': {},
    'file.forget': { actions: 'forget' },
  },
});

function keptOf({ file: { id, bytes }, lifetimeMs, at }: FileStore): FileState['file'] {
  return { id, bytes, createdAt: at, expiresAt: at + lifetimeMs };
}

/** The account counts the bytes in the same commit, or refuses and nothing is stored. */
function store({ address, file: kept }: FileState, { file, accountBytesMax }: FileStore): readonly Effect[] {
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

function remove({ address, file }: FileState, type: FeedEventType, at: number): readonly Effect[] {
  if (file === null) throw new Error('a file is removed before it was stored');
  return [
    { type: 'remove', collection: 'file', id: file.id },
    putFeedEvent({ id: file.id, account: ownerOf(address), type, at, object: file }),
    { type: 'cancel', name: EXPIRE },
    { type: 'schedule', name: FORGET, at: at + REMEMBERED_MS, event: { type: FORGET } },
    { type: 'send', to: accountAddress(ownerOf(address)), event: { type: 'storage.give', bytes: file.bytes } },
  ];
}

function reply(body: object): Effect {
  return { type: 'reply', body: plain(body) };
}
