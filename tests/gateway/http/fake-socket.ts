import { EventEmitter } from 'node:events';

/** One end of a WebSocket whose client the test plays. Emit `message`, `ping` and `pong`; bytes on `connection`. */
export class FakeSocket extends EventEmitter {
  /** What its WebSocket runs over. */
  readonly connection = new EventEmitter();
  readonly sent: string[] = [];
  pings = 0;
  closed: { readonly code: number; readonly reason: string } | null = null;
  terminated = false;
  /** False: the client takes nothing. */
  reads = true;
  bufferedAmount = 0;
  readonly #unread: { readonly bytes: number; readonly sent: () => void }[] = [];

  send(text: string, sent: () => void): void {
    this.sent.push(text);
    if (this.reads) return void sent();
    this.bufferedAmount += text.length;
    this.#unread.push({ bytes: text.length, sent });
  }

  ping(): void {
    this.pings++;
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason };
  }

  terminate(): void {
    if (this.terminated) return;
    this.terminated = true;
    while (this.#unread.length > 0) this.takeOne();
    this.emit('close');
  }

  /** The client takes one frame of those that wait for it. */
  takeOne(): void {
    const { bytes = 0, sent } = this.#unread.shift() ?? {};
    this.bufferedAmount -= bytes;
    sent?.();
  }

  /** The client sends a frame of text. */
  frame(value: unknown): void {
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    this.connection.emit('data', bytes);
    this.emit('message', bytes, false);
  }

  pong(): void {
    this.connection.emit('data', Buffer.alloc(6));
    this.emit('pong', Buffer.alloc(0));
  }
}
