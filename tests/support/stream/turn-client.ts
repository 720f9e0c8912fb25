import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { ResponsesEvents } from './responses-events.ts';

export type SocketFrame = Readonly<Record<string, unknown>> & { readonly type: string };

/** A client of the responses WebSocket. Every turn is checked against the grammar of its events. */
export class TurnClient {
  readonly socket: WebSocket;
  readonly frames: SocketFrame[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #wake: () => void = () => {};
  #code: number | null = null;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)) as SocketFrame);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#code = code;
        this.#wake();
        resolve({ code, reason: String(reason) });
      });
    });
    socket.on('error', () => {});
  }

  /** Resolves once the socket is open; rejects with the status of a refusal. */
  static open(baseUrl: string, key: string | null, headers: Record<string, string> = {}): Promise<TurnClient> {
    const credential = key === null ? {} : { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/responses`, {
      headers: { ...credential, ...headers },
    });
    return new Promise((resolve, reject) => {
      const client = new TurnClient(socket);
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
      socket.once('unexpected-response', (_, response) => {
        let text = '';
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => reject(Object.assign(new Error(text), { status: response.statusCode })));
      });
    });
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  create(body: object): void {
    this.send({ type: 'response.create', ...body });
  }

  /** The next frame of one of these types, frames before it included; takes them from the list. */
  async until(...types: readonly string[]): Promise<readonly SocketFrame[]> {
    for (;;) {
      const at = this.frames.findIndex(({ type }) => types.includes(type));
      if (at >= 0) return this.frames.splice(0, at + 1);
      if (this.#code !== null) throw new Error(`closed with ${this.#code} before ${types}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The frames of one turn, which is a valid stream. */
  async turn(body: object): Promise<readonly SocketFrame[]> {
    this.create(body);
    const frames = await this.until('response.completed', 'response.incomplete', 'response.failed');
    const judge = new ResponsesEvents();
    for (const frame of frames) judge.event(frame);
    assert.equal(judge.end(), []);
    return frames;
  }
}

/** The text that the events of a turn add up to. */
export function textOf(frames: readonly SocketFrame[]): string {
  return frames.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('');
}
