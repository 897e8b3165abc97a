/** A mistake in a file of the catalogue. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

export function failCatalogue(path: string, problem: string): never {
  throw new CatalogueError(`${path}: ${problem}`);
}
