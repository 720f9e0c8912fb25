/** Names on the wire of `POST /videos` and in models documents. (rule V2) */

export const RESOLUTIONS = ['480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
export const ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
export const FRAME_TYPES = ['first_frame', 'last_frame'] as const;
/** Roles that steer the render by a map of the picture; the remaining role `reference` shows what to depict. */
export const CONTROL_ROLES = ['canny', 'depth', 'normal', 'openpose', 'segmentation'] as const;
export const REFERENCE_ROLES = ['reference', ...CONTROL_ROLES] as const;

export type FrameType = (typeof FRAME_TYPES)[number];
export type ReferenceRole = (typeof REFERENCE_ROLES)[number];

/** Other accepted names of three roles. */
export const ROLE_ALIASES: Readonly<Record<string, ReferenceRole>> = {
  edges: 'canny',
  pose: 'openpose',
  seg: 'segmentation',
};
