/** The faults of one direction. Without any the bytes pass. */
export interface Toxics {
  /** No bytes pass while the connections stay open, as behind a dropping firewall; they arrive when the fault ends. */
  readonly timeout?: boolean;
  /** Delay of each piece in ms, plus a random part of the jitter; the order is kept. */
  readonly latency?: { readonly ms: number; readonly jitterMs?: number };
  /** Maximum bytes per piece. */
  readonly slicer?: { readonly bytesMax: number };
  /** The connection is closed after this many bytes in this direction. */
  readonly limitData?: { readonly bytes: number };
}
