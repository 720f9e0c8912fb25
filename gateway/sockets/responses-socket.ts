import { DIALECTS } from '../dialects/dialect-table.ts';
import type { Route } from '../edge/route.ts';
import { acceptUpgrade } from '../http/upgrade.ts';
import { RetainedTurns } from './retained-turns.ts';
import { TurnSocket, type TurnSocketParts } from './turn-socket.ts';

/** The responses dialect over a WebSocket: turns one after the other on one connection. */
export function responsesSocketRoute(node: Omit<TurnSocketParts, 'retained'>): Route {
  const parts = { ...node, retained: new RetainedTurns() };
  return {
    method: 'GET',
    path: '/responses',
    policy: 'key',
    upgrades: true,
    answer: (opening) => {
      acceptUpgrade(opening, parts.limits.bodyBytesMax, (socket, upgrade) => {
        return new TurnSocket(socket, { parts, dialect: DIALECTS.responses, opening, upgrade }).session;
      });
      return null;
    },
  };
}
