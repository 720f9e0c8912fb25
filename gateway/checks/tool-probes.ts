/**
 * The two checks of tools: whether a required call is made at all, and whether a streamed call is complete, so that the
 * gateway may announce it as ready. (rule C43)
 */
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { adapterOf } from '../providers/call/target.ts';
import type { Tool, Turn } from '../terms/turn.ts';
import { failed, incomplete, inconclusive, type Judgement, passed, type QualificationProbe } from './probe.ts';
import type { ProbeAnswer } from './probe-answer.ts';
import { question } from './probe-answer.ts';

const TOOL: Tool = {
  name: 'report_number',
  description: 'Reports one number.',
  parameters: {
    type: 'object',
    properties: { number: { type: 'integer' } },
    required: ['number'],
    additionalProperties: false,
  },
};
const TEXT = 'Call report_number with the number 7.';
/** Of tokens; the choice of tools does not depend on it. */
const CEILING = 512;
/** Larger calls are not announced. (rule I68) */
const DISPATCH_BYTES_MAX = 64 * 1024;

export function toolsProbe(endpoint: Endpoint): QualificationProbe {
  const turn = question(endpoint.model, TEXT, { tools: [TOOL], toolChoice: 'required' });
  const none = withoutCall(endpoint, turn);
  return { check: 'tools', turn, judge: (answer) => called(answer, none) ?? passed('a required call was made') };
}

export function dispatchProbe(endpoint: Endpoint): QualificationProbe {
  const turn = question(endpoint.model, TEXT, { tools: [TOOL], toolChoice: 'required', stream: true });
  const none = withoutCall(endpoint, turn);
  return { check: 'tool_dispatch', turn, judge: (answer) => called(answer, none) ?? whole(answer) };
}

/** The verdict on a complete answer without a call: a wire that cannot demand one leaves the choice to the model. */
function withoutCall(endpoint: Endpoint, turn: Turn): Judgement {
  const isFree = adapterOf(endpoint)?.leftOut(turn, endpoint, CEILING).includes('tool_choice');
  return isFree
    ? inconclusive('text instead of a call that the wire cannot demand')
    : failed('text instead of the required call');
}

/** Null if only the given tool was called. */
function called(answer: ProbeAnswer, none: Judgement): Judgement | null {
  if (answer.calls.length === 0) return incomplete(answer) ?? none;
  return answer.calls.every(({ name }) => name === TOOL.name) ? null : failed('another tool was called');
}

function whole(answer: ProbeAnswer): Judgement {
  if (answer.calls.every(({ arguments: given }) => isWhole(given))) return passed('a streamed call was complete');
  return incomplete(answer) ?? failed('the arguments of a streamed call were not a JSON object');
}

function isWhole(given: string): boolean {
  if (Buffer.byteLength(given) > DISPATCH_BYTES_MAX) return false;
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
