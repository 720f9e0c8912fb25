import { type Static, Type } from 'typebox';
import { CEILING_MAX } from '../../terms/parameters.ts';
import type { Reasoning } from '../../terms/turn.ts';
import { maybe } from './members.ts';
import { effort } from './shared-members.ts';

/** The members of `reasoning`, in every dialect that has it. (rule I18, rule I114) */
export const reasoningMembers = {
  effort: maybe(effort, 'Level of reasoning; none switches it off where the model can.'),
  max_tokens: maybe(Type.Integer({ minimum: 1, maximum: CEILING_MAX }), 'Most tokens of reasoning.'),
  exclude: maybe(Type.Boolean(), 'true: the model reasons, and the reasoning is not returned.'),
  enabled: maybe(
    Type.Boolean(),
    'true: reasoning as the model does it by default. false: none, where it can be switched off.',
  ),
};

const reasoning = Type.Object(reasoningMembers);

/** Null where the request asks for nothing. */
export function reasoningOf({
  effort,
  max_tokens: tokensMax,
  enabled,
  exclude,
}: Static<typeof reasoning>): Reasoning | null {
  if (effort == null && tokensMax == null && enabled == null && exclude !== true) return null;
  return {
    ...(effort == null ? {} : { effort }),
    ...(tokensMax == null ? {} : { tokensMax }),
    ...(enabled == null ? {} : { enabled }),
    ...(exclude === true ? { excluded: true } : {}),
  };
}
