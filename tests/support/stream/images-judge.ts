/** The verdict on a stream of pictures, as far as it was read. */
interface ImagesVerdict {
  /** Every violation of the grammar; empty for a valid stream. */
  readonly faults: readonly string[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Checks one stream of an image generation, fed in pieces of any size: comments of one line, named frames whose name is
 * their type, no `[DONE]`; a picture in each, the usage in the last one alone, and nothing behind an error. (rule I102)
 */
export class ImagesJudge {
  readonly #faults: string[] = [];
  readonly #events: Readonly<Record<string, unknown>>[] = [];
  #rest = '';

  /** The whole text of a stream that ended. */
  static of(text: string): ImagesVerdict {
    const judge = new ImagesJudge();
    judge.feed(text);
    return judge.end();
  }

  feed(text: string): void {
    const blocks = (this.#rest + text).split(/(?<=\n)(?=\n)\n|(?<=^:[^\n]*\n)/m);
    this.#rest = blocks.pop() as string;
    for (const block of blocks) this.#block(block);
  }

  /** The verdict on an unfinished stream. */
  left(): ImagesVerdict {
    return { faults: this.#faults, events: this.#events };
  }

  /** The stream ended by itself. */
  end(): ImagesVerdict {
    if (this.#rest !== '') this.#faults.push('ends in the middle of a frame');
    if (this.#events.length === 0) this.#faults.push('no event');
    return this.left();
  }

  #block(block: string): void {
    if (/^:[^\n]*\n$/.test(block)) return;
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)\n$/.exec(block) ?? [];
    if (name === undefined) return void this.#faults.push(`neither comment nor frame: ${brief(block)}`);
    try {
      this.#event(name, JSON.parse(data) as Readonly<Record<string, unknown>>);
    } catch {
      this.#faults.push(`no JSON in a frame: ${brief(data)}`);
    }
  }

  #event(name: string, event: Readonly<Record<string, unknown>>): void {
    const last = this.#events.at(-1);
    if (last?.type === 'error' || last?.usage !== undefined) this.#faults.push(`${name} behind the end`);
    this.#events.push(event);
    if (event.type !== name) this.#faults.push(`${name} has the type ${JSON.stringify(event.type)}`);
    if (name === 'error') this.#error(event.error as Readonly<Record<string, unknown>>);
    else if (name !== 'image_generation.completed') this.#faults.push(`an event ${brief(name)}`);
    else if (typeof (event.b64_json ?? event.url) !== 'string' || !Number.isInteger(event.created))
      this.#faults.push('an event without a picture or its time');
  }

  #error({ code, message, type, metadata }: Readonly<Record<string, unknown>>): void {
    const named = (metadata as { readonly error_type?: unknown } | undefined)?.error_type;
    if (![code, message, type, named].every((member) => typeof member === 'string'))
      this.#faults.push('an error without code, message, type or error_type');
  }
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
