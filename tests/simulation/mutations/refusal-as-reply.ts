import { emit, type Kind } from '../../../actors/runtime/index.ts';
import { vaultKind, vaultMachine } from '../../actors/example-kinds/vault.ts';
import type { Mutation } from '../mutation.ts';

const vault: Kind = {
  ...vaultKind,
  machine: vaultMachine.provide({ actions: { refuse: emit(() => ({ type: 'reply', body: 'refused' })) } }),
};

/** Turns a refusal into an ordinary reply, so the step that sent the refused message is committed. */
export const refusalAsReply: Mutation = {
  name: 'refusal answered as a reply',
  caughtBy: 61,
  kinds: (sound) => sound.map((kind) => (kind.name === vault.name ? vault : kind)),
};
