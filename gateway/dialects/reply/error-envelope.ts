import type { GatewayError } from '../../terms/gateway-error.ts';

/** A refusal to send, with the status of its error. */
interface ErrorReply {
  readonly type: string;
  /** Added to those of every answer and of the error itself; lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes a refusal of one request. `generation` is the generation id of the request. Never shows `detail`. */
export type ErrorEnvelope = (error: GatewayError, generation: string) => ErrorReply;

/** The envelope of all refusals whose dialect has no form of its own. (rule E1, rule E3) */
export const standardEnvelope: ErrorEnvelope = (error) => ({
  type: 'application/json; charset=utf-8',
  body: renderEnvelope(error),
});

/** The body of the standard envelope: `{error: {code, message, metadata: {error_type, ...}}}`. */
export function renderEnvelope(error: GatewayError): string {
  return `{"error":${errorMember(error)}}`;
}

/** The `error` member of an envelope and of a stream's last chunk, with the public members of the error only. */
export function errorMember(error: GatewayError): string {
  return JSON.stringify({
    code: error.status,
    message: error.message,
    metadata: { ...error.metadata, error_type: error.type },
  });
}
