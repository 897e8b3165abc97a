/** A file that is no capsule, is damaged, too large, or of a newer format. Nothing of it was loaded. */
export class CapsuleRefused extends Error {
  override readonly name = 'CapsuleRefused';
}
