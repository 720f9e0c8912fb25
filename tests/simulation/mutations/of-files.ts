import {
  type FileState,
  type FileStore,
  fileMachine,
  type Removal,
  removeFile,
} from '../../../actors/file/file.machine.ts';
import { fileKind } from '../../../actors/file/file.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { type Effect, emitOn, type Json, type Kind, type Stamped } from '../../../actors/runtime/index.ts';
import { KeyDestroyed, type SealingKey } from '../../../actors/runtime/ports/key-store.ts';
import { plain } from '../../../actors/terms/chart-tools.ts';
import { fileAddress } from '../../../actors/terms/ids.ts';
import { MemoryKeyStore } from '../../support/memory-key-store.ts';
import { MemoryTables } from '../../support/memory-tables.ts';
import { type Mutation, patch } from '../mutation.ts';

type Actions = NonNullable<Parameters<typeof fileMachine.provide>[0]['actions']>;
type Change = (effects: readonly Effect[]) => readonly Effect[];

const LATER_MS = 600_000;

/** Replaces actions of the file machine. */
function fileWith(actions: Actions): (sound: readonly Kind[]) => readonly Kind[] {
  const file: Kind = { ...fileKind, machine: fileMachine.provide({ actions }) };
  return (sound) => sound.map((kind) => (kind.name === file.name ? file : kind));
}

/** Changes the effects of storing a file. */
function storedWith(change: Change): Mutation['kinds'] & object {
  return fileWith({
    storeFile: emitOn('file.store', (state: FileState, { file, lifetimeMs, accountBytesMax, at }: FileStore) => {
      const { createdAt, expiresAt } = state.file ?? { createdAt: at, expiresAt: at + lifetimeMs };
      const take = { type: 'storage.take', bytes: file.bytes, bytesMax: accountBytesMax };
      return change([
        { type: 'put', collection: 'file', id: file.id, body: plain({ ...file, createdAt, expiresAt }) },
        { type: 'schedule', name: 'file.expire', at: expiresAt, event: { type: 'file.expire' } },
        { type: 'send', to: `account:${file.account}`, event: take },
      ]);
    }),
  });
}

/** Changes the effects of deleting a file; an expired one is removed soundly. */
function deletedWith(change: Change) {
  return emitOn('*', (state: FileState, event: Stamped, removal: Removal) => {
    const effects = removeFile(state, event, removal);
    return removal.type === 'file.deleted' ? change(effects) : effects;
  });
}

/** Deliberate bugs of files, blobs and sealing keys. */
export const FILE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'file acknowledged without a row',
    caughtBy: 61,
    kinds: storedWith((effects) => effects.filter(({ type }) => type !== 'put')),
  },
  {
    name: 'bytes of a file not counted',
    caughtBy: 2,
    isLong: true,
    kinds: storedWith((effects) => effects.filter(({ type }) => type !== 'send')),
  },
  {
    name: 'file readable past its end',
    caughtBy: 29,
    kinds: storedWith((effects) =>
      effects.map((effect) =>
        effect.type === 'put' && effect.collection === 'file' ? { ...effect, body: longer(effect.body) } : effect,
      ),
    ),
  },
  {
    name: 'file never removed at its end',
    caughtBy: 1,
    isLong: true,
    kinds: storedWith((effects) => effects.filter(({ type }) => type !== 'schedule')),
  },
  {
    name: 'bytes of a deleted file still counted',
    caughtBy: 6,
    kinds: fileWith({
      removeFile: deletedWith((effects) => effects.filter(({ type }) => type !== 'send')),
    }),
  },
  {
    name: 'deleted file kept',
    caughtBy: 1,
    isLong: true,
    kinds: fileWith({ removeFile: deletedWith(() => []) }),
  },
  {
    name: 'file read by another account',
    caughtBy: 61,
    begin: () =>
      patch(MemoryTables, ['row'], ({ row }) => ({
        row(key: { readonly address: string; readonly collection: string; readonly id: string }) {
          const own = row.call(this, key);
          return own === null && key.collection === 'file'
            ? row.call(this, { ...key, address: fileAddress('acct_files', key.id) })
            : own;
        },
      })),
  },
  {
    name: 'blob sweep blind to references',
    caughtBy: 14,
    begin: () => patch(MemoryTables, ['referred'], () => ({ referred: () => [] })),
  },
  {
    name: 'key kept past its time',
    caughtBy: 1,
    isLong: true,
    begin: () => patch(MemoryKeyStore, ['sweep'], () => ({ sweep: async () => ({ destroyed: 0, kept: 1 }) })),
  },
  {
    name: 'destroyed key still opens',
    caughtBy: 49,
    begin: keysForever,
  },
  {
    name: 'upload sealed under a key out of reach',
    caughtBy: 13,
    isLong: true,
    begin: () =>
      patch(MemoryKeyStore, ['current'], ({ current }) => ({
        async current(this: MemoryKeyStore): Promise<SealingKey> {
          const { down } = this;
          this.down = false;
          const key = current.call(this);
          this.down = down;
          return key;
        },
      })),
  },
];

/** A copy of every key survives its destruction. */
function keysForever(): () => void {
  const kept = new Map<number, SealingKey>();
  return patch(MemoryKeyStore, ['key', 'current'], ({ key, current }) => ({
    async current(): Promise<SealingKey> {
      const now = (await current.call(this)) as SealingKey;
      kept.set(now.hour, now);
      return now;
    },
    async key(hour: number): Promise<SealingKey> {
      try {
        return (await key.call(this, hour)) as SealingKey;
      } catch (thrown) {
        const copy = kept.get(hour);
        if (thrown instanceof KeyDestroyed && copy !== undefined) return copy;
        throw thrown;
      }
    },
  }));
}

function longer(body: Json): Json {
  const file = body as unknown as FileRecord;
  return plain({ ...file, expiresAt: file.expiresAt + LATER_MS });
}
