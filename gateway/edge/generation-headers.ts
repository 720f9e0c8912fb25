import type { ServerResponse } from 'node:http';
import type { RunningTurn } from '../inference/running-turn.ts';
import type { TurnRequest } from '../inference/turn-request.ts';
import type { Receipt } from '../terms/receipt.ts';

/** The generation id under the header names that SDKs read, as a flat list of names and values. (rule E2) */
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
 * What the client is told about its turn, as a flat list of names and values: the ceiling that was sent instead of the
 * endpoint's own because the money afforded no more, the members of the body that nothing reads, and of a whole answer
 * the prompt tokens that the provider read where it cut the prompt. A stream has `honoured` for that. (rule K82)
 */
export function turnHeaders(
  { turn }: TurnRequest,
  running: RunningTurn | null,
  receipt: Receipt | null = null,
): readonly string[] {
  const headers: string[] = [];
  const ceiling = running?.loweredCeiling ?? null;
  if (ceiling !== null) headers.push('x-affordable-max-tokens', String(ceiling));
  if (turn.unread !== undefined) headers.push('x-unread-members', turn.unread.join(', '));
  if (receipt?.promptTokensCut !== undefined) {
    headers.push('x-prompt-tokens-read', String(receipt.usage.promptTokens));
  }
  return headers;
}
