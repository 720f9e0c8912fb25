import { GatewayError } from './gateway-error.ts';

/** 422: the answer would be in a modality that the dialect of the request has no form for. (rule I76) */
export function inexpressible(modality: string, metadata: Readonly<Record<string, unknown>> = {}): GatewayError {
  return new GatewayError({
    status: 422,
    type: 'unprocessable',
    message: `The answer would be ${modality}, which this route cannot express; use /chat/completions`,
    metadata,
  });
}
