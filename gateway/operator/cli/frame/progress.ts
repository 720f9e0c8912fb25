const BAR_CELLS = 30;

/** How far a command's work is. */
export interface ProgressState {
  /** 0 to 1. */
  readonly done: number;
  readonly summary: string;
  /** What changes all the time, such as the seconds that have passed: shown in a terminal only. */
  readonly detail?: string;
}

/** What is written for the states of some work, one after the other. */
interface Progress {
  show(state: ProgressState): string;
  /** After the last state. */
  end(): string;
}

/** One line that is drawn again, for a terminal. */
export class ProgressBar implements Progress {
  show({ done, summary, detail }: ProgressState): string {
    const cells = Math.floor(BAR_CELLS * Math.min(1, Math.max(0, done)));
    const bar = `[${'#'.repeat(cells)}${'-'.repeat(BAR_CELLS - cells)}]`;
    return `\r\u001b[K${bar} ${summary}${detail === undefined ? '' : `, ${detail}`}`;
  }

  end(): string {
    return '\n';
  }
}

/** One line per change, for logs. */
export class ProgressLines implements Progress {
  #last = '';

  show({ summary }: ProgressState): string {
    if (summary === this.#last) return '';
    this.#last = summary;
    return `${summary}\n`;
  }

  end(): string {
    return '';
  }
}

export function progressFor(out: NodeJS.WriteStream | null): Progress {
  return out?.isTTY ? new ProgressBar() : new ProgressLines();
}
