/** The delivered bytes are no MP4 whose video can be measured. The message is for the log. */
export class UnreadableClip extends Error {
  override readonly name = 'UnreadableClip';
}
