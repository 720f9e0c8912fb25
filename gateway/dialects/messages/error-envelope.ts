import type { GatewayError } from '../../terms/gateway-error.ts';
import type { ErrorEnvelope } from '../reply/error-envelope.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The dialect's word for a status. Any other status of the 4xx is a fault of the request, and the rest are errors of
 * the API. (rule I82)
 */
const WORDS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};

/** The `error` member of the dialect's own envelope and of an `error` event. Never shows `detail`. */
export function errorText(error: GatewayError): string {
  const { status, message, type } = error;
  return JSON.stringify({ type: wordOf(status), message, error_type: type, ...detailsOf(error) });
}

/** The dialect's own envelope: for a stream that is refused before it opens. (rule I82) */
export const streamEnvelope: ErrorEnvelope = (error, generation) => {
  const metadata = Object.keys(error.metadata).length === 0 ? '' : `,"metadata":${JSON.stringify(error.metadata)}`;
  const id = JSON.stringify(generation);
  return { type: JSON_TYPE, body: `{"type":"error","error":${errorText(error)},"request_id":${id}${metadata}}` };
};

/** The standard envelope, with the dialect's word in `error.type`, where its SDKs look for it. (rule I82) */
export const wholeEnvelope: ErrorEnvelope = (error) => {
  const { status, message, type, metadata } = error;
  const members = { code: status, type: wordOf(status), message, metadata: { ...metadata, error_type: type } };
  return { type: JSON_TYPE, body: JSON.stringify({ error: { ...members, ...detailsOf(error) } }) };
};

/** Where the SDKs of this dialect look for the cause. */
function detailsOf({ dialectCode }: GatewayError): object {
  return dialectCode === null ? {} : { details: { error_code: dialectCode } };
}

function wordOf(status: number): string {
  return WORDS[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
