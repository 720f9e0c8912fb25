/** Bounds of an activity handler that a test does not want to meet. */
export const WIDE = { runningMax: 1_024, runningPerGroupMax: 1_024 } as const;
