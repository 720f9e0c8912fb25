/** A provider's token, printed by a command of the operator: its output is never part of a message. */
import { execFile } from 'node:child_process';
import { ConfigError } from './config-error.ts';

const COMMAND_MS = 30_000;
const OUTPUT_BYTES_MAX = 64 * 1024;
/** A token whose end is not stated is printed anew this often. */
const UNSTATED_MS = 5 * 60_000;
/** A token is printed anew when this part of its life is left, at most a few minutes before its end. */
const REST = 0.1;
const REST_MS_MAX = 5 * 60_000;

const TOKEN = ['token', 'access_token', 'accessToken'];
const END = ['expires_at', 'expires_on', 'expiresOn', 'expiration', 'Expiration'];

interface PrintedToken {
  readonly key: string;
  /** When to run the command again, ms since the epoch. */
  readonly againAt: number;
}

export interface KeyCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command's place in the configuration. */
  readonly member: string;
  /** After which it is killed; absent: 30 seconds. */
  readonly limitMs?: number;
}

/** @throws ConfigError */
export async function runKeyCommand(
  { command, env, member, limitMs = COMMAND_MS }: KeyCommand,
  now: number,
): Promise<PrintedToken> {
  const [program = '', ...words] = command;
  const output = await new Promise<string>((resolve, reject) => {
    // A command that ignores SIGTERM would be waited for without end, and no other key would be looked at.
    const bounds = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES_MAX } as const;
    const options = { ...bounds, env, encoding: 'utf8' } as const;
    execFile(program, words, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new ConfigError(`${member}: ${program} ${faultOf(error, limitMs)}`));
    });
  });
  return tokenIn(output.trim(), now, `${member}: the output of ${program}`);
}

interface CommandError {
  readonly code?: unknown;
  readonly killed?: boolean | undefined;
}

function faultOf({ code, killed }: CommandError, limitMs: number): string {
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `prints more than ${OUTPUT_BYTES_MAX} bytes`;
  if (killed === true) return `did not end within ${limitMs} ms`;
  return typeof code === 'number' ? `ended with exit code ${code}` : `cannot be run (${String(code)})`;
}

/** Plain text, or a JSON object with the token and its end in one of the usual members. */
function tokenIn(output: string, now: number, place: string): PrintedToken {
  if (!output.startsWith('{')) return { key: checked(output, place), againAt: now + UNSTATED_MS };
  let members: Readonly<Record<string, unknown>>;
  try {
    members = JSON.parse(output);
  } catch {
    throw new ConfigError(`${place} begins as JSON and is none`);
  }
  const key = accessKey(members) ?? TOKEN.map((name) => members[name]).find((each) => typeof each === 'string');
  if (key === undefined) throw new ConfigError(`${place} has no member ${TOKEN.join(' or ')}`);
  const end = endOf(members, now);
  const left = end === undefined ? UNSTATED_MS : end - now;
  return { key: checked(key, place), againAt: now + left - Math.min(left * REST, REST_MS_MAX) };
}

/** The access key of Amazon's services in one line, as `aws configure export-credentials` prints it in several. */
function accessKey({ AccessKeyId, SecretAccessKey, SessionToken }: Readonly<Record<string, unknown>>): string | null {
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') return null;
  return JSON.stringify({ AccessKeyId, SecretAccessKey, SessionToken });
}

/** Seconds of life, or an instant as Unix seconds or as a date. */
function endOf(members: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const { expires_in: seconds } = members;
  if (Number.isFinite(Number(seconds)) && Number(seconds) > 0) return now + Number(seconds) * 1_000;
  for (const name of END) {
    const value = members[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const end = Number.isFinite(Number(value)) ? Number(value) * 1_000 : Date.parse(String(value));
    if (end > now) return end;
  }
  return undefined;
}

function checked(key: string, place: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const fault = key === '' ? 'is empty' : 'has blanks, several lines or characters that no header takes';
  throw new ConfigError(`${place} ${fault}; let it print the token alone`);
}
