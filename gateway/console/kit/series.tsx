/** Figures over time as lines. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface SeriesProps {
  readonly title: string;
  readonly unit: string;
  /** ms of each moment, ascending. */
  readonly at: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

const HEIGHT_PX = 180;
/** Custom properties of the sheet, so that dark and light have their own. */
const COLOURS = ['--accent', '--good', '--warn', '--bad'];

export function Series({ title, unit, at, lines }: SeriesProps) {
  const home = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([at, lines]);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const box = home.current;
    if (box === null) return;
    let close = (): void => {};
    let isOpen = true;
    const [moments, series] = JSON.parse(key) as [number[], SeriesProps['lines']];
    // The library refuses to load where the browser names no language that it knows.
    import('uplot').then(
      ({ default: Plot }) => {
        if (isOpen)
          close = plotted(new Plot(optionsOf(box.clientWidth, series, unit), dataOf(moments, series), box), box);
      },
      (error: unknown) => setFault(String(error)),
    );
    return () => {
      isOpen = false;
      close();
    };
  }, [key, unit]);
  return (
    <figure class="series">
      <figcaption>
        {title} <span class="muted">({unit})</span>
      </figcaption>
      <div ref={home} role="img" aria-label={newestOf(title, unit, lines)} />
      {fault !== null && (
        <p class="muted">
          {newestOf(title, unit, lines)}. It cannot be drawn here: {fault}
        </p>
      )}
    </figure>
  );
}

/** Keeps the plot as wide as its box; the returned function removes it. */
function plotted(plot: uPlot, box: HTMLElement): () => void {
  const sized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT_PX }));
  sized.observe(box);
  return () => {
    sized.disconnect();
    plot.destroy();
  };
}

function newestOf(title: string, unit: string, lines: SeriesProps['lines']): string {
  const newest = lines.map(({ name, values }) => `${name} ${values.at(-1) ?? 'no value'} ${unit}`);
  return `${title}, newest: ${newest.join(', ')}`;
}

function dataOf(moments: readonly number[], lines: SeriesProps['lines']): uPlot.AlignedData {
  return [moments.map((ms) => ms / 1_000), ...lines.map(({ values }) => [...values])];
}

function optionsOf(width: number, lines: SeriesProps['lines'], unit: string): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT_PX,
    cursor: { points: { size: 6 } },
    axes: [axis, { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => `${tick}`) }],
    series: [
      {},
      ...lines.map(({ name }, i) => ({
        label: `${name} (${unit})`,
        stroke: colour(COLOURS[i % COLOURS.length] as string),
        width: 1.5,
        spanGaps: false,
      })),
    ],
  };
}
