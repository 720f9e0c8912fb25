/**
 * The two checks of tools: does a demanded call come at all, and does it come whole in a stream, so that it may be
 * announced as ready. (spec: inference, Routing rules 2, 4; Call-ready tool dispatch)
 */
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Tool } from '../terms/turn.ts';
import type { Heard } from './heard.ts';
import { failed, incomplete, passed, type QualificationProbe, type Seen } from './probe.ts';
import { question } from './question.ts';

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
/** Above it a call is not announced. (spec: inference, Limits) */
const DISPATCH_BYTES_MAX = 64 * 1024;

export function toolsProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'tools',
    turn: question(model, TEXT, { tools: [TOOL], toolChoice: 'required' }),
    judge: (heard) => called(heard) ?? passed('a demanded call was made'),
  };
}

export function dispatchProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'tool_dispatch',
    turn: question(model, TEXT, { tools: [TOOL], toolChoice: 'required', stream: true }),
    judge: (heard) => called(heard) ?? whole(heard),
  };
}

/** Null where the tool was called and no other. */
function called(heard: Heard): Seen | null {
  if (heard.calls.length === 0) return incomplete(heard) ?? failed('prose where a call was demanded');
  return heard.calls.every(({ name }) => name === TOOL.name) ? null : failed('another tool was called');
}

function whole(heard: Heard): Seen {
  if (heard.calls.every(({ arguments: given }) => isWhole(given))) return passed('a streamed call came whole');
  return incomplete(heard) ?? failed('the arguments of a streamed call were no JSON object');
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
