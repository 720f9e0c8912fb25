import type { ShownBatch } from './shown-batch.ts';

const BAR_CELLS = 30;

/** What is written for the states of a batch, one after the other. */
export interface Progress {
  show(batch: ShownBatch): string;
  /** After the last state. */
  end(): string;
}

/** One line that is drawn again, for a terminal. */
export class ProgressBar implements Progress {
  show(batch: ShownBatch): string {
    return `\r\u001b[K${bar(batch)} ${summary(batch)}`;
  }

  end(): string {
    return '\n';
  }
}

/** One line per change, for logs. */
export class ProgressLines implements Progress {
  #last = '';

  show(batch: ShownBatch): string {
    const line = summary(batch);
    if (line === this.#last) return '';
    this.#last = line;
    return `${line}\n`;
  }

  end(): string {
    return '';
  }
}

function bar({ request_counts: { total, completed, failed } }: ShownBatch): string {
  const done = Math.floor((BAR_CELLS * (completed + failed)) / total);
  return `[${'#'.repeat(done)}${'-'.repeat(BAR_CELLS - done)}]`;
}

function summary({ status, request_counts: { total, completed, failed } }: ShownBatch): string {
  return `${completed + failed}/${total} done, ${failed} failed, ${status}`;
}
