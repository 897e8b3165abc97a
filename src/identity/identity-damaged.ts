/** `identity.sqlite`, its mark or a key file is damaged; the message names the file and says what to do. */
export class IdentityDamaged extends Error {
  override name = 'IdentityDamaged';
}
