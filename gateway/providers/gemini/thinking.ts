import type { Effort, Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import { EFFORT_SHARES, switchedBy } from '../messages/thinking.ts';

/** Levels of thought by effort; an effort above the highest level is that level. */
const LEVELS: Readonly<Record<Exclude<Effort, 'none'>, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};
/** The model thinks as much as it finds useful. */
const DYNAMIC = -1;

interface ThinkingConfig {
  readonly includeThoughts?: true;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

const SHOWN: ThinkingConfig = { includeThoughts: true };

/** The position of the switch that a turn asks for; undefined where it asks for neither. */
export function switchOf(turn: Turn, endpoint: Endpoint): boolean | undefined {
  const { effort, tokensMax, enabled = switchedBy(turn, endpoint) } = turn.reasoning ?? {};
  if (effort === 'none' || enabled === false) return false;
  return effort !== undefined || tokensMax !== undefined || enabled === true ? true : undefined;
}

/**
 * How a turn thinks at an endpoint; undefined: as the model does by itself, and nothing is shown. Where the endpoint
 * declares a budget, the model takes one: that of `reasoning.max_tokens`, or the share of the ceiling for an effort, under
 * the ceiling. Any other model takes a level. Thoughts are shown where the endpoint declares that it thinks.
 * (rule I113)
 */
export function thinkingConfig(turn: Turn, endpoint: Endpoint, ceiling: number): ThinkingConfig | undefined {
  const { effort, tokensMax, excluded } = turn.reasoning ?? {};
  const switched = switchOf(turn, endpoint);
  if (switched === false) return { thinkingBudget: 0 };
  const shown = excluded ? {} : SHOWN;
  const { mandatory, defaultEnabled, budget } = endpoint.reasoning ?? {};
  if (switched === undefined) return (mandatory || defaultEnabled) && !excluded ? shown : undefined;
  if (budget === undefined) {
    return effort === undefined || effort === 'none' ? shown : { ...shown, thinkingLevel: LEVELS[effort] };
  }
  if (tokensMax === undefined && (effort === undefined || effort === 'none'))
    return { ...shown, thinkingBudget: DYNAMIC };
  const wanted = tokensMax ?? Math.floor(ceiling * EFFORT_SHARES[effort as Exclude<Effort, 'none'>]);
  return { ...shown, thinkingBudget: Math.min(Math.max(wanted, budget.min), budget.max, Math.max(ceiling - 1, 0)) };
}

/** Adds to `names` the settings of reasoning that a body leaves out, under the names of `honoured`. */
export function addLostThinking({ reasoning }: Turn, { reasoning: declared }: Endpoint, names: string[]): void {
  const { effort, tokensMax } = reasoning ?? {};
  const takesBudget = declared?.budget !== undefined;
  if (tokensMax !== undefined && !takesBudget) names.push('reasoning.max_tokens');
  if (effort === undefined || effort === 'none') return;
  const isLevel = LEVELS[effort] === effort.toUpperCase();
  if (takesBudget ? tokensMax !== undefined : !isLevel) names.push('reasoning_effort');
}
