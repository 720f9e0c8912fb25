import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';

export const MESSAGES_TARGET: Endpoint['target'] = {
  dialect: 'messages',
  baseUrl: 'https://alpha.example/v1',
  upstreamId: 'great-1',
};

/** A turn of one user message with overrides. */
export function turnOf(requested: Partial<Turn> = {}): Turn {
  return {
    kind: 'conversation',
    models: ['author/model'],
    messages: [{ role: 'user', text: 'Hi' }],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
    ...requested,
  };
}
