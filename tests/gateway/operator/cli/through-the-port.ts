import * as assert from 'uvu/assert';
import { FeedClient } from '../../../support/stream/feed-client.ts';
import { TurnClient } from '../../../support/stream/turn-client.ts';

/** WebSockets through the launcher's one port, two to each of three nodes: it hands connections over in turn. */
interface PortSockets {
  readonly followers: readonly FeedClient[];
  readonly turns: readonly TurnClient[];
  /** Ids of the files that were stored while the sockets were open. */
  readonly stored: string[];
  upload(): Promise<void>;
  /** Every follower has received every stored file. */
  followed(): Promise<void>;
  close(): void;
}

const EACH = 6;
const LOOK_MS = 20;

export async function openPortSockets(baseUrl: string, key: string): Promise<PortSockets> {
  const followers = Array.from({ length: EACH }, () => new FeedClient(baseUrl, key, ['file']));
  await Promise.all(followers.map(({ ready }) => ready));
  const turns = await Promise.all(Array.from({ length: EACH }, () => TurnClient.open(baseUrl, key)));
  const stored: string[] = [];
  return {
    ...{ followers, turns, stored },
    async upload() {
      const form = new FormData();
      form.set('file', new Blob(['hello']), 'a.txt');
      const headers = { authorization: `Bearer ${key}`, connection: 'close' };
      const answer = await fetch(`${baseUrl}/files`, { method: 'POST', headers, body: form }).catch(() => null);
      // A node that ends may refuse it; what is acknowledged must be followed.
      if (answer?.status === 200) stored.push(((await answer.json()) as { id: string }).id);
    },
    async followed() {
      const misses = (follower: FeedClient): readonly string[] => {
        const seen = new Set(follower.of('file.stored').map(({ data }) => data.id));
        return stored.filter((id) => !seen.has(id));
      };
      while (followers.some((follower) => misses(follower).length > 0)) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
      for (const follower of followers) assert.is(follower.of('feed.start_over').length, 0);
    },
    close() {
      for (const follower of followers) follower.close();
      for (const { socket } of turns) socket.terminate();
    },
  };
}
