const DIGITS = 6;
const FITS = 36 ** DIGITS;
const DIGITS_BEYOND = 11;

/**
 * An epoch as text that ascends as epochs do. Copies put back raise epochs by as much as 32 bits each time, beyond what
 * six digits hold; those begin with a character that comes after every digit.
 */
export function epochText(epoch: number): string {
  if (epoch < FITS) return epoch.toString(36).padStart(DIGITS, '0');
  return `~${epoch.toString(36).padStart(DIGITS_BEYOND, '0')}`;
}
