import { chatDialect } from '../../dialects/chat/chat-dialect.ts';
import { parse } from '../../dialects/chat/parse.ts';
import type { TurnRoute } from './turn-route.ts';

/** `POST /chat/completions`. (spec: inference, Chat completion request) */
export const chatCompletions: TurnRoute = {
  path: '/chat/completions',
  parse: (body, session) => {
    const turn = parse(body, session);
    return { turn, dialect: chatDialect(turn) };
  },
};
