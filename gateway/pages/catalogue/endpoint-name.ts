import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { type Html, html } from '../kit/html.ts';

/** A provider's name, with what tells two of its endpoints of one model apart. */
export function endpointName({ provider, quantization }: Endpoint): Html {
  return html`${provider.name}${quantization !== null && html` <span class="hint">${quantization}</span>`}`;
}
