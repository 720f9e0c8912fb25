/** One request as the request log shows it: words of ours and of the catalogue, never what the client wrote. */
export interface RequestLine {
  readonly generation: string;
  /** Method and path of the route; null without one. */
  readonly route: string | null;
  readonly status: number;
  /** From the head of the request to its last byte, or to its charge where that is later. */
  readonly ms: number;
  /** Address and label of the key; null without a valid one. */
  readonly key: string | null;
  readonly label: string | null;
  /** Of the endpoint that served a turn; of one that failed only what is known. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly endpoint: string | null;
  /** The type of the error that the client received, or `caller_left`; null for a success. */
  readonly reason: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** The exact charge in USD; null without a turn that delivered. */
  readonly cost: string | null;
  /** False: the charge is not recorded yet, and repeated in the background. */
  readonly recorded?: false;
}
