const DATA = /^data:([a-z0-9.+/-]{1,64});base64,/i;
/** Characters of a `data:` URL before its bytes. */
const HEAD_CHARACTERS_MAX = 96;

/** The source of a generated picture, as JSON text: its bytes, or the URL that the endpoint returned. */
export function imageSource(url: string): string {
  const head = DATA.exec(url.slice(0, HEAD_CHARACTERS_MAX));
  if (head === null) return `{"type":"url","url":${JSON.stringify(url)}}`;
  const [{ length }, mediaType = ''] = head;
  return `{"type":"base64","media_type":${JSON.stringify(mediaType)},"data":${JSON.stringify(url.slice(length))}}`;
}
