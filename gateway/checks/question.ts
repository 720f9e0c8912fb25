import type { Turn } from '../terms/turn.ts';

/** A turn of one short question, without a caller and without a conversation. */
export function question(model: string, text: string, members: Partial<Turn> = {}): Turn {
  return {
    kind: 'conversation',
    models: [model],
    messages: [{ role: 'user', text }],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: false },
    ...members,
  };
}
