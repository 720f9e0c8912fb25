/**
 * The two checks of tools: whether a required call is made at all, and whether a streamed call is complete, so that the
 * gateway may announce it as ready. (rule C43)
 */
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Tool } from '../terms/turn.ts';
import { failed, incomplete, type Judgement, passed, type QualificationProbe } from './probe.ts';
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
/** Larger calls are not announced. (rule I68) */
const DISPATCH_BYTES_MAX = 64 * 1024;

export function toolsProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'tools',
    turn: question(model, TEXT, { tools: [TOOL], toolChoice: 'required' }),
    judge: (answer) => called(answer) ?? passed('a required call was made'),
  };
}

export function dispatchProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'tool_dispatch',
    turn: question(model, TEXT, { tools: [TOOL], toolChoice: 'required', stream: true }),
    judge: (answer) => called(answer) ?? whole(answer),
  };
}

/** Null if only the given tool was called. */
function called(answer: ProbeAnswer): Judgement | null {
  if (answer.calls.length === 0) return incomplete(answer) ?? failed('text instead of the required call');
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
