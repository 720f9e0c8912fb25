/** Of models that are not the provider's own: their ids name the collection. */
const COLLECTION = /^(?:models|tunedModels)\//;

/** The path of a model below the base address. */
export function modelPath(upstreamId: string): string {
  const [collection] = COLLECTION.exec(upstreamId) ?? ['models/'];
  return `/${collection}${encodeURIComponent(upstreamId.replace(COLLECTION, ''))}`;
}
