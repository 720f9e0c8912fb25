/**
 * The files into which the sweeps write what they remove: JSON lines, compressed, readable by their owner alone. A file is
 * written under a temporary name, flushed and renamed, so that under its own name it is always whole; a repeat replaces
 * it. Its last line is `{"end": {...}}` with the number of the lines before it and the SHA-256 of their bytes.
 * (rule K86)
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import { makeFolder, syncFolder } from '../../../actors/runtime/index.ts';

const FILE_MODE = 0o600;
const ENDING = '.jsonl.gz';
const unzip = promisify(gunzip);

export class ExportFolder {
  readonly #folder: string;
  readonly #writer: string;
  readonly #crashpoint: (name: string) => void;
  #cleared: Promise<void> | null = null;

  /** `writer` names one object of one node: of several that share the folder, each has temporary files of its own. */
  constructor(folder: string, writer: string, crashpoint: (name: string) => void = () => {}) {
    this.#folder = folder;
    this.#writer = writer;
    this.#crashpoint = crashpoint;
  }

  /** Resolves when the file is durable. `name` is relative, without ending; `end` joins the last line. */
  async write(name: string, lines: AsyncIterable<string> | Iterable<string>, end: () => object): Promise<void> {
    this.#cleared ??= this.#clear();
    await this.#cleared;
    const file = this.#fileOf(name);
    const temporary = `${file}.${this.#writer}.part`;
    makeFolder(dirname(file));
    const target = createWriteStream(temporary, { mode: FILE_MODE, flush: true });
    await pipeline(Readable.from(sealed(lines, end)), createGzip(), target);
    this.#crashpoint('retention.written');
    await rename(temporary, file);
    await syncFolder(dirname(file));
    this.#crashpoint('retention.exported');
  }

  /** Gives a durable file its other name. A repeat has no effect. */
  async move(from: string, to: string): Promise<void> {
    const file = this.#fileOf(to);
    makeFolder(dirname(file));
    await rename(this.#fileOf(from), file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await syncFolder(dirname(file));
  }

  /** The files of a folder in it and below, by names as `write` takes them. */
  async names(below: string): Promise<readonly string[]> {
    const files = (await this.#filesBelow(below)).filter((name) => name.endsWith(ENDING)).sort();
    return files.map((name) => join(below, name.slice(0, -ENDING.length)));
  }

  /** The lines of a file, without its last one. Throws where it is damaged. */
  async lines(name: string): Promise<readonly string[]> {
    const lines = (await unzip(await readFile(this.#fileOf(name)))).toString().trimEnd().split('\n');
    return lines.slice(0, -1);
  }

  /** Removes what an earlier life of this writer left unfinished. */
  async #clear(): Promise<void> {
    const left = (await this.#filesBelow('')).filter((name) => name.endsWith(`.${this.#writer}.part`));
    await Promise.all(left.map((name) => unlink(join(this.#folder, name))));
  }

  async #filesBelow(below: string): Promise<readonly string[]> {
    try {
      return await readdir(join(this.#folder, below), { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}${ENDING}`);
  }
}

async function* sealed(lines: AsyncIterable<string> | Iterable<string>, end: () => object): AsyncIterable<string> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const line of lines) {
    const text = `${line}\n`;
    digest.update(text);
    count += 1;
    yield text;
  }
  yield `${JSON.stringify({ end: { ...end(), lines: count, sha256: digest.digest('hex') } })}\n`;
}
