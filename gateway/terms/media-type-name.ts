/** Unregistered names that clients and catalogues use for registered media types. */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-mp3', 'audio/mpeg'],
  ['audio/x-mpeg', 'audio/mpeg'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-aiff', 'audio/aiff'],
  ['video/x-m4v', 'video/mp4'],
  ['application/x-pdf', 'application/pdf'],
]);

/** Normalises a media type for comparison: lower case, without parameters, under its registered name. */
export function mediaTypeName(written: string): string {
  const end = written.indexOf(';');
  const name = (end < 0 ? written : written.slice(0, end)).trim().toLowerCase();
  return REGISTERED.get(name) ?? name;
}
