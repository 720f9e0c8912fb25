import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

interface Listening {
  /** Converted from the kernel's hexadecimal form: `127.0.0.1` or the 32 digits of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

const LISTEN = '0A';

/** Every TCP socket on which these processes listen; null if the system does not expose it. */
export function listeningSockets(pids: readonly number[]): readonly Listening[] | null {
  try {
    const own = new Set(pids.flatMap(inodesOf));
    return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter((fields) => fields[3] === LISTEN && own.has(fields[9] ?? ''))
        .map((fields) => parseSocket(fields[1] ?? '')),
    );
  } catch {
    return null;
  }
}

function inodesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function parseSocket(text: string): Listening {
  const [address = '', port = ''] = text.split(':');
  const bytes = Buffer.from(address, 'hex');
  const host = bytes.length === 4 ? [...bytes].reverse().join('.') : address;
  return { host, port: Number.parseInt(port, 16) };
}

/** Addresses at which other machines reach this one. */
export function outerAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && isIPv4(address))
    .map(({ address }) => address);
}

export function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const finish = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.on('connect', () => finish(true));
    socket.on('timeout', () => finish(false));
    socket.on('error', () => finish(false));
  });
}
