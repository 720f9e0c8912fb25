/** The declared abilities of an endpoint in the catalogue's published form; snake_case as on the wire. */
import { EVIDENCE_MS } from '../../actors/endpoint/evidence.ts';
import {
  type AcceptedInput,
  type Descriptor,
  type Endpoint,
  type Envelopes,
  type Evidence,
  type ReasoningControls,
  TOOL_CALL_SUCCESS_MIN,
} from '../../actors/terms/endpoint.ts';
import { toolCallSuccess } from './measured.ts';
import { publicFrame, publicReferences, publicVideoEnvelope } from './public-video.ts';

type Published = Readonly<Record<string, unknown>>;

/** Declared parameters without those that a valid check result withholds. */
export function standingParameters({ supportedParameters, evidence }: Endpoint): readonly string[] {
  const { withheld } = evidence;
  return withheld.length === 0 ? supportedParameters : supportedParameters.filter((name) => !withheld.includes(name));
}

/**
 * Verdicts of checks that are still valid, with the time at which each was found: a later check without a verdict does
 * not renew it. Checks without a verdict are left out. (rule C40)
 */
export function publicQualification({ checks = [] }: Evidence): readonly Published[] {
  return checks.flatMap(({ check, verdict, triedAt, verdictAt = triedAt, version }) => {
    if (verdict === null) return [];
    const times = { observed_at: seconds(verdictAt), expires_at: seconds(verdictAt + EVIDENCE_MS) };
    return [{ capability: check, verdict, ...times, ...(version === undefined ? {} : { probe_version: version }) }];
  });
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** (rule C28) */
export function choosesTools(endpoint: Endpoint): boolean {
  const { value } = toolCallSuccess(endpoint);
  return standingParameters(endpoint).includes('tools') && (value ?? 100) >= TOOL_CALL_SUCCESS_MIN;
}

/** (rule C5) */
export function publicReasoning(controls: ReasoningControls): Published {
  const { efforts, mandatory, defaultEffort, defaultEnabled, budget } = controls;
  return {
    ...(efforts === undefined ? {} : { supported_efforts: efforts }),
    mandatory,
    ...(defaultEffort === undefined ? {} : { default_effort: defaultEffort }),
    ...(defaultEnabled === undefined ? {} : { default_enabled: defaultEnabled }),
    supports_max_tokens: budget !== undefined,
  };
}

/** Null for media that the endpoint does not produce. Meshes are not supported. */
export function publicEnvelopes({ image, speech, video }: Envelopes): Published {
  return {
    image_envelope: image
      ? {
          ...(image.resolutions && { resolutions: image.resolutions }),
          ...(image.aspectRatios && { aspect_ratios: image.aspectRatios }),
          ...(image.sizes && { sizes: image.sizes }),
          ...(image.formats && { formats: image.formats }),
          ...(image.imagesMax === undefined ? {} : { max_images: image.imagesMax }),
          ...(image.frame && publicFrame(image.frame)),
        }
      : null,
    video_envelope: video ? publicVideoEnvelope(video) : null,
    mesh_envelope: null,
    speech_envelope: speech
      ? { voices: speech.voices, codecs: speech.formats, ...(speech.speed && { speed: speech.speed }) }
      : null,
  };
}

/**
 * The accepted sources and formats of each input other than text, the references of a render, and the clips of a voice to
 * imitate.
 */
export function publicInputs(endpoint: Endpoint): Published {
  const { inputs, envelopes } = endpoint;
  const named = Object.fromEntries(
    Object.entries(inputs).map(([modality, input]) => [modality, publicInput(input)]),
  ) as Record<string, object>;
  const references = envelopes.video?.references;
  return {
    ...named,
    ...(references && { video: { ...named.video, ...publicReferences(references) } }),
    ...(envelopes.speech?.clones && { speech: voiceClips(endpoint) }),
  };
}

function publicInput({ sources, containers }: AcceptedInput): Published {
  return { sources: sources.map((each) => (each === 'data' ? 'base64' : each)), formats: containers };
}

/** A clip of a voice is a recording: its forms are those of the declared audio input. */
function voiceClips({ inputs, descriptors }: Endpoint): Published {
  const { audio } = descriptors;
  const clips = audio?.type === 'object' ? audio.properties?.input_references : undefined;
  return {
    ...(inputs.audio ? publicInput(inputs.audio) : { formats: null }),
    ...(clips?.type === 'array' && clips.maxItems !== undefined ? { max_items: clips.maxItems } : {}),
  };
}

/** Descriptors of the rendering parameters of pictures, speech and videos, by modality and name. */
export function renderParameters({ descriptors, envelopes }: Endpoint): Published {
  const { image_config, audio } = descriptors;
  return {
    ...(envelopes.video ? { video: publicDescriptors(descriptors) } : {}),
    ...(image_config?.type === 'object' ? { image: publicDescriptors(image_config.properties ?? {}) } : {}),
    ...(audio?.type === 'object' ? { audio: publicDescriptors(audio.properties ?? {}) } : {}),
  };
}

/** Descriptors by name. (rule I36) */
export function publicDescriptors(descriptors: Readonly<Record<string, Descriptor>>): Published {
  return Object.fromEntries(Object.entries(descriptors).map(([name, one]) => [name, publicDescriptor(one)]));
}

function publicDescriptor(descriptor: Descriptor): Published {
  if (descriptor.type === 'array') {
    const { type, items, minItems, maxItems } = descriptor;
    return {
      type,
      items: publicDescriptor(items),
      ...(minItems === undefined ? {} : { min_items: minItems }),
      ...(maxItems === undefined ? {} : { max_items: maxItems }),
    };
  }
  if (descriptor.type !== 'object') return { ...descriptor };
  const { type, properties } = descriptor;
  return { type, ...(properties === undefined ? {} : { properties: publicDescriptors(properties) }) };
}
