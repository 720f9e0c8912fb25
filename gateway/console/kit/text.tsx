/** Times, money, counts and names as text. */
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../client/place.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `340 ms`, `4.2 s`, `3 min 10 s`, `2 h 5 min`, `4 d 3 h`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return pair(ms, MINUTE_MS, 'min', SECOND_MS, 's');
  if (ms < DAY_MS) return pair(ms, HOUR_MS, 'h', MINUTE_MS, 'min');
  return pair(ms, DAY_MS, 'd', HOUR_MS, 'h');
}

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** `2026-11-28 14:03:07`, UTC. */
export function dateTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** A moment with its seconds; the title says that it is UTC. */
export function Time({ at }: { readonly at: number | null | undefined }) {
  if (at === null || at === undefined) return <span class="muted">never</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={`${new Date(at).toISOString()} (UTC)`}>
      {dateTime(at)}
    </time>
  );
}

/** How long ago a moment was; counts up by itself. */
export function Age({ since }: { readonly since: number | null | undefined }) {
  const now = useNow();
  if (since === null || since === undefined) return <span class="muted">unknown</span>;
  return <time title={`since ${dateTime(since)} UTC`}>{duration(now - since)}</time>;
}

/** The present time, drawn again every second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** An exact decimal text of USD, as the API gives it: never computed with. */
export function Money({ usd }: { readonly usd: string | null | undefined }) {
  if (usd === null || usd === undefined) return <span class="muted">none</span>;
  return <span class="money">${usd}</span>;
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** A number that links to its rows. */
export function Count({ n, to }: { readonly n: number; readonly to?: string | undefined }) {
  return to === undefined ? (
    <span class="number">{count(n)}</span>
  ) : (
    <a class="number" href={hrefOf(to)}>
      {count(n)}
    </a>
  );
}

/** The console's page of an actor. */
export function actorPath(address: string): string {
  return `/actors/${encodeURIComponent(address)}`;
}

/** An actor by its name, with its address below the pointer; by its address if it has none. */
export function ActorLink({ address, label }: { readonly address: string; readonly label?: string | null }) {
  return (
    <a href={hrefOf(actorPath(address))} title={address}>
      {label ? label : <code>{address}</code>}
    </a>
  );
}

/** An id that can be copied with one click. */
export function Id({ id }: { readonly id: string }) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard?.writeText(id).then(() => setCopied(true));
  };
  return (
    <button type="button" class="id" title={copied ? 'Copied' : 'Copy'} onClick={copy} onBlur={() => setCopied(false)}>
      <code>{id}</code>
      <span class="visually-hidden">{copied ? ', copied' : ', copy'}</span>
    </button>
  );
}
