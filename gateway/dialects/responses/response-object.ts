import type { GatewayError } from '../../terms/gateway-error.ts';
import type { FinishReason } from '../../terms/turn-event.ts';
import type { ReplyHead } from '../reply/reply-dialect.ts';
import { failureCode } from './failure.ts';

/** What a response object says at one moment of its life. Absent members are null on the wire. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly error?: GatewayError;
  readonly incomplete?: 'max_output_tokens' | 'content_filter';
  /** JSON texts. */
  readonly output: readonly string[];
  readonly usage?: string;
  readonly honoured?: Readonly<Record<string, boolean>>;
}

/** The id of a response, and what the ids of its items have in common with it. */
export function idStem({ id }: ReplyHead): string {
  return id.startsWith('gen-') ? id.slice('gen-'.length) : id;
}

/** How an answer ended, by its finish. */
export function endOf(reason: FinishReason): Pick<ResponseState, 'status' | 'incomplete'> {
  switch (reason) {
    case 'length':
      return { status: 'incomplete', incomplete: 'max_output_tokens' };
    case 'content_filter':
      return { status: 'incomplete', incomplete: 'content_filter' };
    case 'error':
      return { status: 'failed' };
    default:
      return { status: 'completed' };
  }
}

/**
 * A response object as JSON text. `repeated` are the members that repeat the request. `completed_at` is not measured
 * here, so it is null. (rule I87)
 */
export function responseText(head: ReplyHead, repeated: string, state: ResponseState): string {
  const { status, error, incomplete, output, usage = 'null', honoured } = state;
  const reason = incomplete === undefined ? 'null' : `{"reason":"${incomplete}"}`;
  const extra = honoured === undefined ? '' : `,"honoured":${JSON.stringify(honoured)}`;
  return (
    `{"id":"resp_${idStem(head)}","object":"response","created_at":${head.created},"completed_at":null` +
    `,"status":"${status}","error":${errorText(status, error)},"incomplete_details":${reason}` +
    `,"model":${JSON.stringify(head.model)},"output":[${output.join(',')}]${repeated},"usage":${usage}${extra}}`
  );
}

function errorText(status: ResponseState['status'], error: GatewayError | undefined): string {
  if (status !== 'failed') return 'null';
  if (error === undefined) return '{"code":"server_error","message":"The provider ended its answer with an error"}';
  return JSON.stringify({ code: failureCode(error), message: error.message });
}
