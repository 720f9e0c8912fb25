/** The frame of a page and its parts. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hrefOf, setQuery } from '../client/place.ts';

/** A page: its title is the document's, and takes the focus when the page opens. */
export function PageFrame({
  title,
  what,
  actions,
  children,
}: {
  readonly title: string;
  /** What the page shows, in one line. */
  readonly what?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Troupe console`;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  return (
    <>
      <div class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {what !== undefined && <p class="muted">{what}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Panel({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Names with their values. Null values are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The most important figures of a page, side by side. */
export function Figures({
  figures,
}: {
  readonly figures: readonly { readonly name: string; readonly value: ComponentChildren; readonly to?: string }[];
}) {
  return (
    <dl class="figures">
      {figures.map(({ name, value, to }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{to === undefined ? value : <a href={hrefOf(to)}>{value}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Views of one page; the open one is in the address. */
export function Tabs({
  tabs,
  open,
}: {
  readonly tabs: readonly { readonly id: string; readonly name: string }[];
  readonly open: string;
}) {
  return (
    <nav class="tabs" aria-label="Views of this page">
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          aria-current={id === open ? 'true' : undefined}
          onClick={() => setQuery({ tab: id })}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

/** A value as indented JSON, for state and events. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="json" tabIndex={0} aria-label={label}>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
