import type { Effort, Endpoint } from '../../actors/terms/endpoint.ts';
import type { Heard } from './heard.ts';
import { failed, incomplete, inconclusive, passed, type QualificationProbe, type Seen } from './probe.ts';
import { question } from './question.ts';

const TEXT = 'How many of the numbers from 1 to 20 can be divided by 3 or by 5?';

/**
 * One effort of reasoning: `none` must show no thought, a level must be taken and must not be reported as thoughtless.
 * Where thoughts are neither shown nor reported a level keeps no verdict. (spec: inference, Routing rules 3)
 */
export function effortProbe({ model }: Endpoint, effort: Effort): QualificationProbe {
  return {
    check: `effort:${effort}`,
    turn: question(model, TEXT, { reasoning: { effort } }),
    control: question(model, TEXT),
    judge: effort === 'none' ? judgeNone : (heard) => judgeLevel(heard, effort),
  };
}

function judgeNone(heard: Heard): Seen {
  if (heard.thoughts || (heard.reasoningTokens ?? 0) > 0) return failed('reasoning in a reply to effort none');
  return incomplete(heard) ?? passed('no reasoning in a reply to effort none');
}

/** The least effort may well be no thought at all. */
function judgeLevel(heard: Heard, effort: Effort): Seen {
  if (heard.thoughts || (heard.reasoningTokens ?? 0) > 0) return passed('it reasoned at this effort');
  const cut = incomplete(heard);
  if (cut) return cut;
  if (effort === 'minimal') return passed('it answered at this effort');
  return heard.reasoningTokens === 0
    ? failed('it reported no reasoning at this effort')
    : inconclusive('reasoning was neither shown nor reported');
}
