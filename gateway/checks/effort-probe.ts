import type { Effort, Endpoint } from '../../actors/terms/endpoint.ts';
import { failed, incomplete, inconclusive, type Judgement, passed, type QualificationProbe } from './probe.ts';
import type { ProbeAnswer } from './probe-answer.ts';
import { question } from './question.ts';

const TEXT = 'How many of the numbers from 1 to 20 can be divided by 3 or by 5?';

/**
 * Checks one reasoning effort: `none` must show no reasoning; a level must be accepted and must not report 0 reasoning
 * tokens. If reasoning is neither shown nor reported, a level gets no verdict. (rule C42)
 */
export function effortProbe({ model }: Endpoint, effort: Effort): QualificationProbe {
  return {
    check: `effort:${effort}`,
    turn: question(model, TEXT, { reasoning: { effort } }),
    control: question(model, TEXT),
    judge: effort === 'none' ? judgeNone : (answer) => judgeLevel(answer, effort),
  };
}

function judgeNone(answer: ProbeAnswer): Judgement {
  if (answer.thoughts || (answer.reasoningTokens ?? 0) > 0) return failed('reasoning in a reply to effort none');
  return incomplete(answer) ?? passed('no reasoning in a reply to effort none');
}

/** Effort `minimal` passes without any reasoning. */
function judgeLevel(answer: ProbeAnswer, effort: Effort): Judgement {
  if (answer.thoughts || (answer.reasoningTokens ?? 0) > 0) return passed('it reasoned at this effort');
  const cut = incomplete(answer);
  if (cut) return cut;
  if (effort === 'minimal') return passed('it answered at this effort');
  return answer.reasoningTokens === 0
    ? failed('it reported no reasoning at this effort')
    : inconclusive('reasoning was neither shown nor reported');
}
