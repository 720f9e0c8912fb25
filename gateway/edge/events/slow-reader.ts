import { GatewayError } from '../../terms/gateway-error.ts';

/** The reason for which a stream of events ends whose client does not read them. */
export function slowReader(bytesMax: number): GatewayError {
  return new GatewayError({
    status: 408,
    type: 'timeout',
    message: `More than ${bytesMax} bytes of events wait to be read; connect again with the last cursor`,
  });
}
