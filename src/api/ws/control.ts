/** Control errors of a socket (wire 2.5): code, and whether the connection is closed. */

interface Control {
  readonly code: number;
  readonly closes: boolean;
}

export const CONTROL = {
  unknownChannel: { code: 30001, closes: false },
  illegalRequest: { code: 30002, closes: false },
  unknownOperation: { code: 30003, closes: false },
  loginNeeded: { code: 30004, closes: false },
  loginFailed: { code: 30005, closes: true },
  tooManyRequests: { code: 30006, closes: false },
  overLimit: { code: 30007, closes: true },
  keyInvalid: { code: 30011, closes: true },
  passphraseInvalid: { code: 30012, closes: true },
  timestampInvalid: { code: 30013, closes: true },
  timestampExpired: { code: 30014, closes: true },
  signatureInvalid: { code: 30015, closes: true },
  parameterWrong: { code: 30016, closes: false },
  upgrade: { code: 30033, closes: false },
  /** The HTTP code of the same error. */
  permissionMissing: { code: 40014, closes: false },
} as const satisfies Readonly<Record<string, Control>>;

export type ControlName = keyof typeof CONTROL;

/** Errors of authentication by their HTTP code; any other code is a failed login. */
export const LOGIN_FAILURES: Readonly<Record<string, ControlName>> = {
  '40037': 'keyInvalid',
  '40012': 'passphraseInvalid',
  '40005': 'timestampInvalid',
  '40008': 'timestampExpired',
  '40009': 'signatureInvalid',
  '429': 'overLimit',
};

/** Codes of the closing handshake (RFC 6455, 7.4). */
export const CloseCode = {
  goingAway: 1001,
  policy: 1008,
  restart: 1012,
  tryLater: 1013,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];
