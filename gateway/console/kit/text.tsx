/** Times, money, counts and names as text. */
import { useEffect, useState } from 'preact/hooks';
import {
  bytesText,
  countText as count,
  timeText as dateTime,
  durationText as duration,
  usdText,
} from '../../pages/kit/parts/format.ts';
import { hrefOf } from '../client/place.ts';

export { bytesText, count, dateTime, duration };

const SECOND_MS = 1_000;

/** A moment with its seconds; the title says that it is UTC. */
export function Time({ at }: { readonly at: number | null | undefined }) {
  if (at === null || at === undefined) return <span class="muted">never</span>;
  const [day, clock] = dateTime(at).split(' ');
  return (
    <time dateTime={new Date(at).toISOString()} title={`${new Date(at).toISOString()} (UTC)`}>
      <span>{day}</span> <span>{clock}</span>
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

/** An amount of USD, as the API gives it: cut to six digits behind the point, the exact one as its title. */
export function Money({
  usd,
  isExact = false,
}: {
  readonly usd: string | null | undefined;
  readonly isExact?: boolean;
}) {
  if (usd === null || usd === undefined) return <span class="muted">none</span>;
  return (
    <span class="money" title={`${usd} USD`}>
      {isExact ? `$${usd}` : usdText(usd)}
    </span>
  );
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

/** A command stands between backticks. */
export function Words({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>))}</>;
}

/** The console's page of an actor. */
export function actorPath(address: string): string {
  return `/actors/${encodeURIComponent(address)}`;
}

/** An actor by its name, with its address below the pointer; by its address if it has none. */
export function ActorLink({ address, label }: { readonly address: string; readonly label?: string | null }) {
  return (
    <a
      class={label ? 'name' : undefined}
      href={hrefOf(actorPath(address))}
      title={label ? `${label}, ${address}` : address}
    >
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
