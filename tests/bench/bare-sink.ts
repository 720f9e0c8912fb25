import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The baseline of the submissions' figures: the least that a process of its own does with a batch. It reads the body, parses
 * it, seals each request with its digest into one file and answers when the file is durable. Beside it, live requests pay
 * for what the machine shares and not for an event loop. `bare-sink` prints `{"port":N}`; ends with its parent.
 */
const folder = mkdtempSync(join(tmpdir(), 'bare-sink-'));
const key = randomBytes(32);
let written = 0;

async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const { requests } = JSON.parse(Buffer.concat(pieces).toString()) as { requests: readonly object[] };
  const file = await open(join(folder, String(written++)), 'w');
  try {
    for (const each of requests) await seal(file, JSON.stringify(each));
    await file.sync();
  } finally {
    await file.close();
  }
  response.writeHead(202).end();
}

async function seal(file: FileHandle, text: string): Promise<void> {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  const digest = createHash('sha256');
  for (const piece of sealed) digest.update(piece);
  await file.writev([...sealed, digest.digest()]);
}

const server = createServer((request, response) => {
  accept(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin
  .on('end', () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  })
  .resume();
