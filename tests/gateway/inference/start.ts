import type { Inference } from '../../../gateway/inference/inference.ts';
import type { RunningTurn } from '../../../gateway/inference/running-turn.ts';
import { type DialectBody, startTurn, type TurnArrival } from '../../../gateway/inference/start-turn.ts';

/** Both arguments of `startTurn`. */
export type TurnInput = TurnArrival & DialectBody;

export function start(services: Inference, input: TurnInput): Promise<RunningTurn> {
  const { dialect, body, session, onAccepted, ...arrival } = input;
  return startTurn(services, arrival, { dialect, body, session, onAccepted });
}
