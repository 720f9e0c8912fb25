/** The words and colours of states, and what a page shows while it has no answer. */
import type { ComponentChildren } from 'preact';
import type { ApiFault } from '../client/api.ts';
import type { Live } from '../client/live.ts';
import { Age } from './text.tsx';

type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'plain';

const TONES: readonly (readonly [Tone, RegExp])[] = [
  ['bad', /dead|down|failed|quarantined|suspended|expired|revoked|refused|critical|poison|rejected/i],
  ['warn', /degraded|warning|paused|draining|joining|retry|review|limited|cancel|disabled|unknown|waiting/i],
  ['busy', /running|streaming|progress|rendering|finali|validating|pending|queued|admitted|first_byte|settling/i],
  ['good', /up|healthy|active|open|completed|credited|delivered|served|live|ready|enabled|stored|processed/i],
];

function toneOf(state: string): Tone {
  return TONES.find(([, words]) => words.test(state))?.[0] ?? 'plain';
}

/** A state as a word in its colour; the colour is never the only sign. */
export function StateBadge({ state, tone }: { readonly state: string; readonly tone?: Tone }) {
  return <span class={`badge ${tone ?? toneOf(state)}`}>{state.replaceAll('_', ' ')}</span>;
}

/** Draws the newest answer; while there is none, what is known of why. An old answer stays, with its age. */
export function Answer<T>({
  live,
  children,
}: {
  readonly live: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, fault, at } = live;
  if (value === null) return fault === null ? <Loading /> : <Refused fault={fault} retry={live.refresh} />;
  return (
    <>
      {fault !== null && <Stale fault={fault} at={at} />}
      {children(value)}
    </>
  );
}

function Loading() {
  return (
    <div class="panel loading" role="status">
      <span class="visually-hidden">Loading</span>
      <div class="bone" />
      <div class="bone" />
      <div class="bone short" />
    </div>
  );
}

function Stale({ fault, at }: { readonly fault: ApiFault; readonly at: number }) {
  return (
    <p class="notice warn" role="status">
      {fault.message} What you see is <Age since={at} /> old.
    </p>
  );
}

const TITLES: Readonly<Record<number, string>> = {
  0: 'Disconnected',
  403: 'Your role does not permit this',
  404: 'Nothing has this name',
  503: 'The node cannot answer now',
};

function Refused({ fault, retry }: { readonly fault: ApiFault; readonly retry: () => void }) {
  const title = TITLES[fault.status] ?? 'The node refused this';
  return (
    <div class="panel empty" role="alert">
      <h2>{title}</h2>
      <p>{fault.message}</p>
      {fault.member !== null && (
        <p>
          It is about <code>{fault.member}</code>.
        </p>
      )}
      {fault.status === 0 && <p class="muted">The console asks again by itself.</p>}
      <button type="button" onClick={retry}>
        Ask again
      </button>
    </div>
  );
}

/** What a list without rows says, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** Words that wait for somebody: an alarm, a hint. */
export function Notice({
  tone,
  children,
}: {
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  readonly children: ComponentChildren;
}) {
  return <div class={`notice ${tone}`}>{children}</div>;
}
