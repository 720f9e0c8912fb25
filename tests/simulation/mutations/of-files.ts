import { assign } from 'xstate';
import type { FileEvent } from '../../../actors/file/events.ts';
import { type FileState, fileMachine } from '../../../actors/file/file.machine.ts';
import { fileKind } from '../../../actors/file/file.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { type Effect, emit, type Json, type Kind } from '../../../actors/runtime/index.ts';
import { KeyDestroyed, type SealingKey } from '../../../actors/runtime/ports/key-store.ts';
import { only, plain } from '../../../actors/terms/chart-tools.ts';
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
    store: emit<FileState, FileEvent>(({ context, event }) => {
      const { file, lifetimeMs, accountBytesMax } = only(event, 'file.store');
      const { createdAt, expiresAt } = context.file ?? { createdAt: event.at, expiresAt: event.at + lifetimeMs };
      const take = { type: 'storage.take', bytes: file.bytes, bytesMax: accountBytesMax };
      return change([
        { type: 'put', collection: 'file', id: file.id, body: plain({ ...file, createdAt, expiresAt }) },
        { type: 'schedule', name: 'file.expire', at: expiresAt, event: { type: 'file.expire' } },
        { type: 'send', to: `account:${file.account}`, event: take },
      ]);
    }),
  });
}

function removal(file: FileState['file'], at: number): readonly Effect[] {
  return [
    { type: 'cancel', name: 'file.expire' },
    { type: 'schedule', name: 'file.forget', at: at + LATER_MS, event: { type: 'file.forget' } },
    { type: 'remove', collection: 'file', id: file?.id ?? '' },
  ];
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
      removeDeleted: emit<FileState, FileEvent>(({ context, event }) => removal(context.file, event.at)),
    }),
  },
  {
    name: 'deleted file kept',
    caughtBy: 1,
    isLong: true,
    kinds: fileWith({ removeDeleted: assign({}) }),
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
          const { cut } = this;
          this.cut = false;
          const key = current.call(this);
          this.cut = cut;
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
