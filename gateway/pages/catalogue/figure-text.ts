/** Measured figures as a page shows them; a dash where there is none. */
import { durationText } from '../kit/parts/text.ts';

/** Seconds as `320 ms` or `1.2 s`. */
export function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : durationText(seconds * 1_000);
}

export function rateText(perSecond: number | undefined): string {
  return perSecond === undefined ? '–' : perSecond.toFixed(1);
}

export function percentText(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(1)} %`;
}
