/** What happens to the bytes of one direction. Nothing set: they pass. */
export interface Toxics {
  /** Nothing passes while the connections stay open, as behind a firewall that drops; what was sent comes when it ends. */
  readonly timeout?: boolean;
  /** Each piece arrives this much later, plus a random part of the jitter; the order stays. Ms. */
  readonly latency?: { readonly ms: number; readonly jitterMs?: number };
  /** Pieces of at most so many bytes. */
  readonly slicer?: { readonly bytesMax: number };
  /** The connection is closed once so many bytes have passed in this direction. */
  readonly limitData?: { readonly bytes: number };
}
