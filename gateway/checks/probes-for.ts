import type { Check, Effort, Endpoint } from '../../actors/terms/endpoint.ts';
import { converses } from './ask.ts';
import { responseFormatProbe, structuredOutputsProbe } from './format-probes.ts';
import { checkedMedia, inputProbe, type Medium } from './input-probes.ts';
import { failed, incomplete, inconclusive, type Judgement, passed, type QualificationProbe } from './probe.ts';
import { type ProbeAnswer, question } from './probe-answer.ts';
import { dispatchProbe, toolsProbe } from './tool-probes.ts';

const EFFORT = 'effort:';
const INPUT = 'input:';

/**
 * The checks that follow from an endpoint's declarations; undeclared abilities are not checked. Endpoints that may
 * answer with pictures or speech get only the tool checks, because checks must be cheap. Those that only continue texts
 * get none. (rule C41)
 */
export function checksFor(endpoint: Endpoint): readonly Check[] {
  if (!converses(endpoint)) return [];
  const declares = (parameter: string): boolean => endpoint.supportedParameters.includes(parameter);
  const checks: Check[] = declares('tools') ? ['tool_dispatch', 'tools'] : [];
  if (endpoint.outputModalities.some((modality) => modality !== 'text')) return checks;
  checks.push(...checkedMedia(endpoint).map((medium): Check => `input:${medium}`));
  if (declares('structured_outputs')) checks.push('structured_outputs');
  if (declares('response_format')) checks.push('response_format');
  return checks.concat(effortsOf(endpoint, declares).map((effort): Check => `effort:${effort}`));
}

/** The declared levels, and `none` if reasoning can be switched off. Undeclared levels are never routed there. */
function effortsOf({ reasoning }: Endpoint, declares: (parameter: string) => boolean): readonly Effort[] {
  if (reasoning === null || !['reasoning', 'reasoning_effort', 'enable_thinking'].some(declares)) return [];
  const levels = reasoning.efforts ?? [];
  return reasoning.mandatory || levels.includes('none') ? levels : [...levels, 'none'];
}

export function probeFor(endpoint: Endpoint, check: Check): QualificationProbe {
  switch (check) {
    case 'tools':
      return toolsProbe(endpoint);
    case 'tool_dispatch':
      return dispatchProbe(endpoint);
    case 'structured_outputs':
      return structuredOutputsProbe(endpoint);
    case 'response_format':
      return responseFormatProbe(endpoint);
    default:
      return check.startsWith(INPUT)
        ? inputProbe(endpoint, check.slice(INPUT.length) as Medium)
        : effortProbe(endpoint, check.slice(EFFORT.length) as Effort);
  }
}

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
