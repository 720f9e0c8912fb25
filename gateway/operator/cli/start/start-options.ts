/** What a node takes, and `up` for its nodes. */
export const START_OPTIONS = {
  '--log-level <level>': {
    meaning: 'the least grave lines that nodes write',
    choices: ['error', 'warn', 'info'],
  },
  '--new-pepper': 'continue without the pepper that the keys were made with: every key is void',
} as const;
