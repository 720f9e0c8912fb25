/** Measured figures as a page shows them; a dash where there is none. */

import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { type Html, html } from '../kit/html.ts';
import { durationText } from '../kit/parts/format.ts';

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

/** A provider's name, with what tells two of its endpoints of one model apart. */
export function endpointName({ provider, quantization }: Endpoint): Html {
  return html`${provider.name}${quantization !== null && html` <span class="hint">${quantization}</span>`}`;
}
