import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Where an attack goes, and how long. */
export interface AttackSite {
  readonly baseUrl: string;
  readonly operatorUrl: string;
  /** gRPC addresses of the nodes. */
  readonly grpc: readonly string[];
  /** Key of the attacker's account. */
  readonly key: string;
  /** False once the time of the attack is over. */
  readonly goesOn: () => boolean;
  /** 1 is full strength. */
  readonly strength: number;
}

export interface Attack {
  readonly name: string;
  /** Null: what it attacked held; else what did not. */
  run(site: AttackSite): Promise<string | null>;
}

const PAUSE_MS = 20;
/** A client that repeats an attack which ended at once. Rates are unlimited, so that nothing else bounds it. */
const REPEAT_MS = 500;
/** Longer than any answer takes that is not attacked. */
const CALL_MS = 30_000;
const pause = (ms = PAUSE_MS): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Call {
  readonly model: string;
  readonly stream?: boolean;
  /** False: the answer is never read. */
  readonly reads?: boolean;
  readonly content?: string;
}

/** The status of one call once its answer is read; 0 for a connection that was closed. */
function call(site: AttackSite, { model, stream = false, reads = true, content = 'a' }: Call): Promise<number> {
  const body = JSON.stringify({ model, stream, max_tokens: 16, messages: [{ role: 'user', content }] });
  const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request(`${site.baseUrl}/chat/completions`, { method: 'POST', headers, agent: false }, (answer) => {
      const { statusCode = 0 } = answer;
      answer.on('error', () => {}).on('close', () => end(statusCode));
      if (reads) answer.resume();
    });
    const end = (status: number): void => {
      clearInterval(looking);
      sent.destroy();
      resolve(status);
    };
    const beganAt = performance.now();
    const looking = setInterval(() => {
      if (!site.goesOn() || performance.now() - beganAt > CALL_MS) end(0);
    }, PAUSE_MS);
    sent.on('error', () => end(0)).end(body);
  });
}

/** Repeats a call with so many in flight; returns the statuses with their counts. */
export async function flood(
  site: AttackSite,
  inFlight: number,
  one: () => Promise<number>,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const lane = async (): Promise<void> => {
    do {
      const status = await one();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (site.goesOn()) await pause(REPEAT_MS);
    } while (site.goesOn());
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.round(inFlight * site.strength)) }, lane));
  return statuses;
}

function calling(name: string, inFlight: number, one: Call): Attack {
  return {
    name,
    run: async (site) => {
      const statuses = await flood(site, inFlight, () => call(site, one));
      return statuses.has(500) ? `answered 500 ${statuses.get(500)} times` : null;
    },
  };
}

/** The status of a GET with this path as it is. */
function raw(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    );
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => {}).on('close', () => resolve(Number(answer.slice(9, 12)) || 0));
  });
}

function reading(name: string, paths: readonly string[], where: (site: AttackSite) => string): Attack {
  return {
    name,
    run: async (site) => {
      const failed = new Set<string>();
      let nth = 0;
      await flood(site, 20, async () => {
        const path = paths[nth++ % paths.length] as string;
        const status = await raw(where(site), path);
        if (status === 500 || status === 200) failed.add(`${path} was answered ${status}`);
        return status;
      });
      return failed.size === 0 ? null : [...failed].join('; ');
    },
  };
}

/** Holds so many connections open, each opened again once it is closed. */
export async function hold(site: AttackSite, count: number, open: () => Socket): Promise<void> {
  const lane = async (): Promise<void> => {
    while (site.goesOn()) {
      const socket = open().on('error', () => {});
      let closed = false;
      socket.resume().once('close', () => {
        closed = true;
      });
      while (!closed && site.goesOn()) await pause(100);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.round(count * site.strength)) }, lane));
}

const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

export const ATTACKS: readonly Attack[] = [
  calling('crafted pictures', 6, { model: 'evil/pictures' }),
  calling('whole replies of 15 MB', 60, { model: 'evil/replies' }),
  calling('arguments before their name', 12, { model: 'evil/arguments', stream: true }),
  {
    name: 'open uploads',
    run: async (site) => {
      const { hostname, port, pathname } = new URL(site.baseUrl);
      const head = `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${site.key}\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n\r\n{`;
      await hold(site, 192, () => {
        const socket = connect(Number(port), hostname, () => socket.write(head));
        return socket;
      });
      return null;
    },
  },
  calling('unread replies', 60, { model: 'evil/replies', reads: false }),
  reading(
    'inherited names',
    INHERITED.map((name) => `/api/v1/models?sort=${name}`),
    ({ baseUrl }) => baseUrl,
  ),
  calling('lines without an answer', 20, { model: 'evil/junk', stream: true }),
  calling('interim answers', 20, { model: 'evil/interim' }),
  calling('streams of a fast provider', 64, { model: 'evil/parts', stream: true }),
  reading('malformed targets of the operator port', ['//', 'http://[', '/%zz'], ({ operatorUrl }) => operatorUrl),
  reading('paths that cannot be decoded', ['/api/v1/%zz', '/api/v1/models/%ff'], ({ baseUrl }) => baseUrl),
  calling('failing requests of one tenant', 16, { model: 'sim/fast', content: '@sim {"status":500}' }),
  {
    name: "strangers' gRPC connections",
    run: async (site) => {
      let nth = 0;
      await hold(site, 300, () => {
        const address = site.grpc[nth++ % site.grpc.length] as string;
        return connect(Number(address.slice(address.lastIndexOf(':') + 1)), '127.0.0.1');
      });
      return null;
    },
  },
];
