import { DIALECTS } from '../dialects/dialect-table.ts';
import type { Route } from '../edge/route.ts';
import { acceptUpgrade } from '../http/upgrade.ts';
import { TurnSocket } from './turn-socket.ts';

/** The responses dialect over a WebSocket: turns one after the other on one connection. */
export const responsesSocketRoute: Route = {
  method: 'GET',
  path: '/responses',
  policy: 'key',
  body: 'none',
  upgrades: true,
  answer: (context, edge) => {
    acceptUpgrade(context, edge.services.limits.bodyBytesMax, (socket, upgrade) => {
      return new TurnSocket(socket, { edge, dialect: DIALECTS.responses, opening: context, upgrade }).session;
    });
    return null;
  },
};
