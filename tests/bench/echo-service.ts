/** A gRPC service with one bidirectional stream of bytes. */
const bytes = (message: Buffer): Buffer => message;

export const ECHO = {
  echo: {
    path: '/troupe.bench.Echo/Echo',
    requestStream: true,
    responseStream: true,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  },
} as const;
