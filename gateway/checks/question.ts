import type { Turn } from '../terms/turn.ts';

/** A turn of one short question, for no caller and no conversation. */
export function question(model: string, text: string, members: Partial<Turn> = {}): Turn {
  return {
    models: [model],
    messages: [{ role: 'user', text }],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: false },
    ...members,
  };
}
