import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { DECLARATION } from '../../support/model/declaration.ts';
import { UNMEASURED } from '../../support/model/unmeasured.ts';

/** A plain endpoint with overrides. */
export function endpointOf(declared: Partial<Endpoint> = {}): Endpoint {
  return {
    ...DECLARATION,
    health: 'healthy',
    healthReason: '',
    evidence: NO_EVIDENCE,
    measured: UNMEASURED,
    ...declared,
  };
}

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
