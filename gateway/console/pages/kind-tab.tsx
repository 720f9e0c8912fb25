/** The tab of an actor's kind: the parts of its page where it has one, else the facts and tables that the API gives. */
import type { ComponentChild } from 'preact';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { Facts, Panel } from '../kit/layout.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { Pages, Table } from '../kit/table.tsx';
import { ActorLink, bytesText, count, duration, Id, Money, Time } from '../kit/text.tsx';
import { AccountTab } from './accounts.tsx';
import { EndpointTab } from './endpoints.tsx';

type Cell = string | number | null;
type CellType = 'text' | 'id' | 'state' | 'number' | 'time' | 'duration' | 'bytes' | 'usd' | 'actor' | 'generation';

interface KindTable {
  readonly title: string;
  readonly empty: string;
  readonly columns: readonly { readonly name: string; readonly type: CellType }[];
  readonly rows: readonly (readonly Cell[])[];
  readonly statuses?: readonly string[];
  /** Absent: the table is whole. */
  readonly next?: string | null;
}

interface KindTabView {
  readonly facts: readonly { readonly name: string; readonly type: CellType; readonly value: Cell }[];
  readonly tables: readonly KindTable[];
}

/** Kinds with a page of their own, whose parts the tab shows. */
const OF_PAGES: Readonly<Record<string, { readonly name: string; readonly draw: (id: string) => ComponentChild }>> = {
  account: { name: 'Money', draw: (id) => <AccountTab id={id} /> },
  endpoint: { name: 'Attempts', draw: (id) => <EndpointTab id={id} /> },
};

/** The tab's name; undefined for a kind without a page. */
export function tabOfPage(kind: string): string | undefined {
  return OF_PAGES[kind]?.name;
}

export function KindTab({ kind, address }: { readonly kind: string; readonly address: string }) {
  const page = OF_PAGES[kind];
  if (page !== undefined) return <>{page.draw(address.slice(address.indexOf(':') + 1))}</>;
  return <GivenTab address={address} />;
}

function GivenTab({ address }: { readonly address: string }) {
  const { query } = usePlace();
  const asked = { cursor: query.get('cursor'), status: query.get('status') };
  const live = useLive<KindTabView>(`/api/actors/${encodeURIComponent(address)}/tab`, asked, 3_000);
  return (
    <Answer live={live}>
      {({ facts, tables }) => (
        <>
          <Panel title="Facts">
            <Facts facts={facts.map(({ name, type, value }) => [name, drawn(type, value)])} />
          </Panel>
          {tables.map((table) => (
            <GivenTable key={table.title} table={table} cursor={asked.cursor} />
          ))}
        </>
      )}
    </Answer>
  );
}

const NUMBERS: ReadonlySet<CellType> = new Set(['number', 'duration', 'bytes', 'usd']);

function GivenTable({ table, cursor }: { readonly table: KindTable; readonly cursor: string | null }) {
  const { title, empty, columns, rows, statuses, next } = table;
  return (
    <Panel title={title}>
      {statuses !== undefined && <Filters filters={[{ name: 'status', label: 'Status', options: statuses }]} />}
      <Table
        caption={`${title}: rows`}
        rows={rows}
        keyOf={(row) => String(rows.indexOf(row))}
        empty={empty}
        columns={columns.map(({ name, type }, at) => ({
          name,
          isNumber: NUMBERS.has(type),
          cell: (row: readonly Cell[]) => drawn(type, row[at] ?? null),
        }))}
      />
      {next !== undefined && <Pages cursor={cursor} next={next} />}
    </Panel>
  );
}

const DRAWN: Readonly<Record<CellType, (value: never) => ComponentChild>> = {
  text: (text: string) => text,
  id: (id: string) => <Id id={id} />,
  state: (state: string) => <StateBadge state={state} />,
  number: (n: number) => count(n),
  time: (at: number) => <Time at={at} />,
  duration: (ms: number) => duration(ms),
  bytes: (bytes: number) => bytesText(bytes),
  usd: (usd: string) => <Money usd={usd} />,
  actor: (address: string) => <ActorLink address={address} />,
  generation: (id: string) => (
    <a href={hrefOf(`/generations/${id}`)}>
      <code>{id}</code>
    </a>
  ),
};

function drawn(type: CellType, value: Cell): ComponentChild {
  return value === null ? '' : DRAWN[type](value as never);
}
