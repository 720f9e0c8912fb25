import { emit, type Kind } from '../../../actors/runtime/index.ts';
import { purseKind, purseMachine } from '../../actors/example-kinds/purse.ts';
import type { Mutation } from '../mutation.ts';

const purse: Kind = {
  ...purseKind,
  machine: purseMachine.provide({ actions: { refuse: emit(() => ({ type: 'reply', body: 'refused' })) } }),
};

/** Turns a refusal into an ordinary reply, so the step that sent the refused message is committed. */
export const refusalAsReply: Mutation = {
  name: 'refusal answered as a reply',
  caughtBy: 61,
  kinds: (sound) => sound.map((kind) => (kind.name === purse.name ? purse : kind)),
};
