/** How the nodes render videos at providers. Times in ms. */
export interface RenderLimits {
  /** Renders that one node watches at once: in total, and of one account. */
  readonly runningMax: number;
  readonly runningPerAccountMax: number;
  /** Clips that one node receives at once. */
  readonly receivingMax: number;
  readonly clipBytesMax: number;
  /** Until a provider answers the request for a render. */
  readonly createMs: number;
  /** The longest render at one endpoint. */
  readonly renderMs: number;
  /** The wait before a poll: at first, and at last. */
  readonly pollMsMin: number;
  readonly pollMsMax: number;
  readonly pollAnswerMs: number;
  /** A provider whose polls fail for longer has stopped answering. */
  readonly silentMs: number;
  /**
   * A node that drains lets a render whose provider answers the call with the clip end for so long: no other node can
   * continue it.
   */
  readonly drainMs: number;
  /** The longest transfer of one clip. */
  readonly clipMs: number;
  /** Calls for one render or one clip, where a repeat is safe; and the wait before the second, which then doubles. */
  readonly triesMax: number;
  readonly tryAgainMs: number;
}
