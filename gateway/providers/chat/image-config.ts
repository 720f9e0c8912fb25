import type { Envelopes } from '../../../actors/terms/endpoint.ts';
import { declaredSpelling } from '../../terms/declared-spelling.ts';
import { isLeftToEndpoint } from '../../terms/is-left-to-endpoint.ts';
import { pictureFrame } from '../../terms/picture-frame.ts';

type Config = Readonly<Record<string, unknown>>;

/**
 * The picture settings of a request in the endpoint's own spelling, with its frame in the form that the endpoint
 * declares. Omits settings left to the endpoint; sends settings that its envelope does not mention unchanged.
 * (rule I24)
 */
export function imageConfig(requested: Config, envelope: Envelopes['image']): Config {
  const entries = Object.entries(requested).filter(([member, value]) => !isLeftToEndpoint(member, value));
  const { resolution, aspect_ratio, size, output_format: format, ...rest } = Object.fromEntries(entries);
  const config = {
    ...rest,
    output_format: typeof format === 'string' ? (declaredSpelling(format, envelope?.formats ?? []) ?? format) : format,
    ...pictureFrame({ resolution, aspect_ratio, size }, envelope),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
