/**
 * The `input` of a whole tool call: its arguments, digit for digit. A text that is no JSON object, which a model may
 * write or a ceiling may cut, becomes the value of one member, since the dialect has no other form.
 */
export function inputText(given: string): string {
  const text = given.trim();
  if (text === '') return '{}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Not JSON.
  }
  return JSON.stringify({ arguments: given });
}
