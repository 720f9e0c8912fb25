import { type Static, Type } from 'typebox';
import { CEILING_MAX } from '../../terms/parameters.ts';
import type { Reasoning } from '../../terms/turn.ts';
import { maybe } from './members.ts';
import { effort } from './shared-members.ts';

/** The members of `reasoning`, in every dialect that has it. (rule I18, rule I114) */
export const reasoningMembers = {
  effort: maybe(effort),
  max_tokens: maybe(Type.Integer({ minimum: 1, maximum: CEILING_MAX })),
  exclude: maybe(Type.Boolean()),
  enabled: maybe(Type.Boolean()),
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
