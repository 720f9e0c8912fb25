import type { Authentication } from '../authentication.ts';
import type { BodyRoom } from '../body/body-room.ts';
import type { EdgeServices } from '../services.ts';
import type { Gate } from './gate.ts';
import type { OpenTurns } from './open-turns.ts';

/** What a route is built from. */
export interface EdgeRoutes {
  readonly services: EdgeServices;
  readonly gate: Gate;
  readonly turns: OpenTurns;
  readonly bodies: BodyRoom;
  readonly authentication: Authentication;
}
