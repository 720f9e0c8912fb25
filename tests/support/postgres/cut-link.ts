import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A link to a server that can be cut in the middle of a message. */
export interface CutLink {
  /** The same database, over this link. */
  readonly url: string;
  /** From now on answers of the server are dropped; requests still arrive. */
  swallowAnswers(): void;
  /** Breaks every connection. New ones are refused until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openCutLink(url: string): Promise<CutLink> {
  const to = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  let swallows = false;
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(to.port), to.hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      if (!swallows) near.write(bytes);
    });
    for (const [socket, other] of [pair, [far, near] as const]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const link = new URL(url);
  link.port = String((server.address() as { port: number }).port);
  const cut = (): void => {
    isCut = true;
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    url: link.href,
    swallowAnswers() {
      swallows = true;
    },
    cut,
    mend() {
      isCut = false;
      swallows = false;
    },
    async close() {
      cut();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
