import { TURN_DIALECTS, type TurnDialect } from '../../actors/terms/endpoint.ts';

/** The wires that the chaos cluster's providers speak beside chat. */
export const WIRES = TURN_DIALECTS.filter((dialect) => dialect !== 'chat');
/** Those that serve conversations. */
export const TALKING_WIRES = WIRES.filter((dialect) => dialect !== 'completions');

/** The model that the providers serve by this wire. */
export function wireModel(dialect: TurnDialect): string {
  return `sim/${dialect}`;
}
