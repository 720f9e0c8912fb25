const WORDS: Readonly<Record<string, string>> = {
  after: '`last_id` of the previous page.',
  author: 'The part of a model id before the slash.',
  context: 'Smallest context length in tokens.',
  cursor: 'Position after which the events begin, as an event named it.',
  endpoint_id: 'Only this endpoint.',
  format: 'Format of the answer.',
  hash: 'Public handle of a key.',
  id: 'Id of the object.',
  ids: 'Only events of these objects, separated by commas.',
  include_disabled: 'true: disabled keys as well.',
  include_revoked: 'true: revoked keys as well.',
  index: 'Position of the clip, from 0.',
  interval: 'daily, weekly, monthly or lifetime.',
  kind: 'Only keys of this kind.',
  limit: 'Most entries of a page.',
  month: 'UTC month, YYYY-MM.',
  offset: 'Entries to leave out.',
  order: 'asc or desc, by age.',
  purpose: 'Only files with this purpose.',
  slug: 'The part of a model id after the slash.',
  sort: 'The order of the list.',
  types: 'Only events of these types, separated by commas.',
  user_id: 'Only the member with this id.',
  workspace_id: 'Only the workspace with this id or slug.',
  'HTTP-Referer': 'Address of the application; attributes the request to it.',
  'X-Session-Id': 'Names a conversation: its requests prefer one endpoint.',
  'X-Title': 'Title of the application.',
  'X-Vendor-Title': 'Title of the application; goes before X-Title.',
};

/** What a parameter means where its operation says nothing of its own; undefined: not known, which a test refuses. */
export function parameterWords(name: string): string | undefined {
  return WORDS[name];
}
