import { get, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { limit } from '../pace.ts';

/** Ends a hanging test. */
const UNTIL_MS = 30_000;

/** A parsed event of `GET /events`. */
interface ReadEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly body: {
    readonly type: string;
    readonly created_at?: number;
    readonly cursor?: string;
    readonly data?: Record<string, unknown>;
    readonly error?: Record<string, unknown>;
  };
}

/** A client of a stream of server-sent events over node:http, so that a test can stop reading. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  readonly comments: string[] = [];
  ended = false;
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    const parser = createParser({
      onEvent: ({ id, event, data }: EventSourceMessage) =>
        this.events.push({ id, type: event ?? '', body: JSON.parse(data) as ReadEvent['body'] }),
      onComment: (comment) => this.comments.push(comment),
    });
    response.setEncoding('utf8');
    response.on('data', (text: string) => parser.feed(text));
    response.on('error', () => {});
    response.on('close', () => {
      this.ended = true;
    });
  }

  /** Resolves when the answer begins with status 200; rejects with the text of any other answer. */
  static open(url: string, headers: Record<string, string>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const request = get(url, { headers, agent: false }, (response) => {
        if (response.statusCode === 200) return resolve(new EventReader(response));
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => reject(new Error(`${response.statusCode} ${text}`)));
      });
      request.on('error', reject);
    });
  }

  of(type: string): readonly ReadEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  /** Waits until the condition holds. */
  async until(holds: () => boolean, what: string): Promise<void> {
    for (const leftMs = limit(UNTIL_MS); !holds(); ) {
      if (leftMs() === 0) throw new Error(`timed out: ${what}; received ${JSON.stringify(this.events)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
