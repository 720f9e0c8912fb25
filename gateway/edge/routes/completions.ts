import { completionDialect } from '../../dialects/completions/completion-dialect.ts';
import { parse } from '../../dialects/completions/parse.ts';
import type { TurnRoute } from './turn-route.ts';

/** `POST /completions`. (spec: inference, Text completion) */
export const completions: TurnRoute = {
  path: '/completions',
  parse: (body, session) => {
    const { turn, echo } = parse(body, session);
    return { turn, dialect: completionDialect(echo) };
  },
};
