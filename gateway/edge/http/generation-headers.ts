import type { ServerResponse } from 'node:http';
import type { RunningTurn } from '../../inference/running-turn.ts';

/** The generation id under the header names that SDKs read, as a flat list of names and values. (conventions 0.2) */
export function generationHeaders(id: string): string[] {
  return ['x-generation-id', id, 'x-request-id', id, 'request-id', id];
}

/** Sets them on an answer whose head is written elsewhere. */
export function nameAnswer(response: ServerResponse, id: string): void {
  response.setHeader('x-generation-id', id);
  response.setHeader('x-request-id', id);
  response.setHeader('request-id', id);
}

/**
 * Tells the client the ceiling that was sent instead of the endpoint's own because the money afforded no more; a name
 * and a value, or nothing.
 */
export function loweredCeilingHeader({ loweredCeiling }: RunningTurn): readonly string[] {
  return loweredCeiling === null ? [] : ['x-affordable-max-tokens', String(loweredCeiling)];
}
