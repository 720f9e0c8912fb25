/** Writes the events of one stream, each as one frame, numbered from 0 without a gap. (rule I88) */
export class EventWriter {
  #next = 0;

  /** `members` is JSON text with a comma before each member; upstream text appears in it only inside JSON strings. */
  write(type: string, members: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next++}${members}}\n\n`;
  }
}
