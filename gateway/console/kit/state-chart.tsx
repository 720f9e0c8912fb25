/** A kind's chart, drawn from its own machine: nested and parallel states, transitions with event and guard. */
import type { ElkEdgeSection, ElkExtendedEdge, ElkNode } from 'elkjs';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isWithin, pathsOfState } from './state-text.ts';

/** A state of a chart, as the API gives it. */
export interface ChartState {
  readonly name: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** The state that is entered first; null in an atomic or parallel one. */
  readonly initial: string | null;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

interface ChartTransition {
  readonly event: string;
  /** The path of the target from the root, joined by dots; null for a transition that stays. */
  readonly target: string | null;
  readonly guard: string | null;
  readonly actions: readonly string[];
}

interface ChartProps {
  readonly chart: ChartState;
  /** Paths of the present states, joined by dots. */
  readonly lit?: readonly string[];
  /** The states before and after the newest step, as the runtime writes them: the lines between them are emphasized. */
  readonly moved?: { readonly from: string; readonly to: string } | null;
  /** Numbers of actors by path. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The page of a state's actors. */
  readonly to?: (path: string) => string;
}

const CHAR_PX = 7.2;
const LINE_PX = 16;
const STATE_MIN_PX = 96;
const LABEL_CHARS_MAX = 44;
const EVENTS_SHOWN_MAX = 4;
const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  // The states stand in the order of the chart, its first one at the left.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeLabel': '4',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.edgeLabels.inline': 'false',
};
const PARENT_PADDING = '[top=36,left=16,bottom=16,right=16]';

export function StateChart(props: ChartProps) {
  const layout = useLayout(props.chart);
  const box = useBegunAt(layout, (props.lit ?? []).join(' '));
  if (layout === null) return <div class="chart loading" role="status" aria-label="The chart is being laid out" />;
  const { width = 0, height = 0 } = layout.root;
  const moved = movedLines(layout.edges, props);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={box} class="chart" aria-label="Chart of the states" tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role={props.to === undefined ? 'img' : 'group'}
        aria-label={wordsOf(props)}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0,0 L8,4 L0,8 z" />
          </marker>
        </defs>
        <States node={layout.root} x={0} y={0} props={props} />
        {layout.edges.map((edge) => (
          <Line key={edge.id} edge={edge} isMoved={moved.has(edge.id)} />
        ))}
      </svg>
    </section>
  );
}

/** The box of a chart; one that is too wide begins at the present state. The page itself does not scroll. */
function useBegunAt(layout: Drawn | null, lit: string) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const state = layout && lit !== '' && box.current?.querySelector<SVGGraphicsElement>('.lit');
    if (state && box.current) box.current.scrollLeft = state.getBBox().x - box.current.clientWidth / 2;
  }, [layout, lit]);
  return box;
}

/** What a screen reader says in place of the picture. */
function wordsOf({ chart, lit = [] }: ChartProps): string {
  const names = chart.states.map(({ name }) => name).join(', ');
  return lit.length === 0 ? `States: ${names}` : `States: ${names}. Now in ${lit.join(' and ')}`;
}

interface Drawn {
  readonly root: ElkNode;
  readonly edges: readonly PlacedEdge[];
}

interface PlacedEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly sections: readonly ElkEdgeSection[];
  readonly x: number;
  readonly y: number;
  readonly labels: readonly { readonly text: string; readonly x: number; readonly y: number }[];
}

function useLayout(chart: ChartState): Drawn | null {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  // Answers repeat the same chart as a new object.
  const key = JSON.stringify(chart);
  useEffect(() => {
    let isCurrent = true;
    void layOut(JSON.parse(key) as ChartState).then((root) => {
      if (isCurrent) setDrawn({ root, edges: placed(root, 0, 0) });
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return drawn;
}

async function layOut(chart: ChartState): Promise<ElkNode> {
  const { default: ELK } = await import('elkjs/lib/elk.bundled.js');
  return new ELK().layout({ ...nodeOf(chart, ''), id: 'root', edges: edgesOf(chart), layoutOptions: OPTIONS });
}

function nodeOf(state: ChartState, path: string): ElkNode {
  const children = state.states.map((child) => nodeOf(child, path === '' ? child.name : `${path}.${child.name}`));
  if (children.length > 0) return { id: path, children, layoutOptions: { 'elk.padding': PARENT_PADDING } };
  return { id: path, width: Math.max(STATE_MIN_PX, state.name.length * CHAR_PX + 32), height: 40 };
}

/** One line for all transitions between two states. */
function edgesOf(chart: ChartState): ElkExtendedEdge[] {
  const events = new Map<string, string[]>();
  for (const [path, { transitions }] of pathsOf(chart, '')) {
    for (const { event, target, guard } of transitions) {
      if (target === null || path === '') continue;
      const ends = `${path}\n${target}`;
      const words = guard === null ? event : `${event} [${guard}]`;
      events.set(ends, [...(events.get(ends) ?? []), words]);
    }
  }
  return [...events].map(([ends, words], i) => {
    const [from = '', to = ''] = ends.split('\n');
    return { id: `e${i}`, sources: [from], targets: [to], labels: labelsOf(words) };
  });
}

function labelsOf(words: readonly string[]) {
  const shown = words.slice(0, EVENTS_SHOWN_MAX);
  const more = words.length > shown.length ? [`and ${words.length - shown.length} more`] : [];
  return [...shown, ...more].map((word) => {
    const text = word.length > LABEL_CHARS_MAX ? `${word.slice(0, LABEL_CHARS_MAX - 1)}…` : word;
    return { text, width: text.length * (CHAR_PX - 1), height: LINE_PX };
  });
}

function pathsOf(state: ChartState, path: string): readonly (readonly [string, ChartState])[] {
  const below = state.states.flatMap((child) => pathsOf(child, path === '' ? child.name : `${path}.${child.name}`));
  return [[path, state], ...below];
}

/** Lines are placed relative to the state that contains both of their ends. */
function placed(root: ElkNode, x: number, y: number): readonly PlacedEdge[] {
  const origins = originsOf(root, x, y);
  return (root.edges ?? []).map((edge) => {
    const container = (edge as { readonly container?: string }).container ?? 'root';
    const [left, top] = origins.get(container) ?? [0, 0];
    return {
      id: edge.id,
      from: edge.sources[0] ?? '',
      to: edge.targets[0] ?? '',
      sections: edge.sections ?? [],
      x: left,
      y: top,
      labels: (edge.labels ?? []).map((label) => ({ text: label.text ?? '', x: label.x ?? 0, y: label.y ?? 0 })),
    };
  });
}

function originsOf(node: ElkNode, x: number, y: number): Map<string, readonly [number, number]> {
  const found = new Map<string, readonly [number, number]>([[node.id, [x, y]]]);
  for (const child of node.children ?? []) {
    for (const [id, at] of originsOf(child, x + (child.x ?? 0), y + (child.y ?? 0))) found.set(id, at);
  }
  return found;
}

function States({
  node,
  x,
  y,
  props,
}: {
  readonly node: ElkNode;
  readonly x: number;
  readonly y: number;
  readonly props: ChartProps;
}) {
  return (
    <>
      {(node.children ?? []).map((child) => {
        const left = x + (child.x ?? 0);
        const top = y + (child.y ?? 0);
        return (
          <g key={child.id}>
            <StateBox node={child} x={left} y={top} props={props} />
            <States node={child} x={left} y={top} props={props} />
          </g>
        );
      })}
    </>
  );
}

function StateBox({
  node,
  x,
  y,
  props,
}: {
  readonly node: ElkNode;
  readonly x: number;
  readonly y: number;
  readonly props: ChartProps;
}) {
  const { width = 0, height = 0, id, children } = node;
  const name = id.slice(id.lastIndexOf('.') + 1);
  const counted = props.counts?.[id];
  const isLit = (props.lit ?? []).some((path) => isWithin(id, path));
  const isParent = (children ?? []).length > 0;
  const box = (
    <g class={`state${isLit ? ' lit' : ''}${isParent ? ' parent' : ''}`}>
      <rect x={x} y={y} width={width} height={height} rx={8} />
      <text x={x + width / 2} y={isParent ? y + 20 : y + height / 2 + 5} text-anchor="middle">
        {name}
        {counted !== undefined && <tspan class="counted"> {counted}</tspan>}
      </text>
    </g>
  );
  return props.to === undefined ? box : <a href={props.to(id)}>{box}</a>;
}

function Line({ edge, isMoved: moved }: { readonly edge: PlacedEdge; readonly isMoved: boolean }) {
  return (
    <g class={moved ? 'line moved' : 'line'} transform={`translate(${edge.x} ${edge.y})`}>
      {edge.sections.map((section) => (
        <path key={section.id} d={pathOf(section)} marker-end="url(#arrow)" />
      ))}
      {edge.labels.map(({ text, x, y }) => (
        <text key={`${text} ${y}`} x={x} y={y + LINE_PX - 4}>
          {text}
        </text>
      ))}
    </g>
  );
}

function pathOf({ startPoint, bendPoints = [], endPoint }: ElkEdgeSection): string {
  const points = [startPoint, ...bendPoints, endPoint];
  return points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x},${y}`).join(' ');
}

/** Lines from a state that was left, or from one around it, into a state that was entered. */
function movedLines(edges: readonly PlacedEdge[], { moved }: ChartProps): ReadonlySet<string> {
  if (moved == null) return new Set();
  const before = pathsOfState(moved.from);
  const after = pathsOfState(moved.to);
  const left = before.filter((path) => !after.includes(path));
  const entered = after.filter((path) => !before.includes(path));
  const isTaken = ({ from, to }: PlacedEdge): boolean =>
    left.some((path) => isWithin(from, path)) && entered.some((path) => isWithin(to, path));
  return new Set(edges.filter(isTaken).map(({ id }) => id));
}
