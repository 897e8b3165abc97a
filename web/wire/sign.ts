/** Signatures made in the page. A secret becomes a key that cannot be read back, and is not kept as text. */

export interface Signer {
  readonly apiKey: string;
  readonly passphrase: string;
  /** Base64 of the signature. */
  readonly sign: (message: string) => Promise<string>;
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/** Browsers and Node name this type differently. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export function importSecret(secret: string): Promise<SigningKey> {
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, ['sign']);
}

export function signerOf(apiKey: string, passphrase: string, key: SigningKey): Signer {
  return {
    apiKey,
    passphrase,
    sign: async (message) => base64(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(message))),
  };
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

/** Arguments of the login of a private stream. */
export async function loginOf({ apiKey, passphrase, sign }: Signer, nowMs: number) {
  const timestamp = String(nowMs);
  return { apiKey, passphrase, timestamp, sign: await sign(`${timestamp}GET/user/verify`) };
}
