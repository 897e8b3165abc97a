/** Control errors of a socket (wire 2.5): code, meaning, and whether the connection is closed. */

interface Control {
  readonly code: number;
  readonly means: string;
  readonly closes: boolean;
}

export const CONTROL = {
  unknownChannel: { code: 30001, means: 'there is no such topic, symbol or interval', closes: false },
  illegalRequest: { code: 30002, means: 'the message is no JSON text', closes: false },
  unknownOperation: {
    code: 30003,
    means: 'op is none of login, subscribe, unsubscribe and trade',
    closes: false,
  },
  loginNeeded: { code: 30004, means: 'a private topic, or an order, before the login', closes: false },
  loginFailed: { code: 30005, means: 'the login failed', closes: true },
  tooManyRequests: {
    code: 30006,
    means: 'too many messages or subscriptions; more of them end the connection',
    closes: false,
  },
  overLimit: { code: 30007, means: 'over a limit of messages, channels or connections', closes: true },
  keyInvalid: { code: 30011, means: 'there is no such key', closes: true },
  passphraseInvalid: { code: 30012, means: 'the passphrase is not that of the key', closes: true },
  timestampInvalid: { code: 30013, means: 'the timestamp of the login is no Unix time', closes: true },
  timestampExpired: {
    code: 30014,
    means: 'the timestamp of the login is more than 30 seconds off',
    closes: true,
  },
  signatureInvalid: { code: 30015, means: 'the signature of the login does not match', closes: true },
  parameterWrong: { code: 30016, means: 'a parameter is not what it must be', closes: false },
  upgrade: {
    code: 30033,
    means: 'the connection ends soon, for a restart or by its age: connect again',
    closes: false,
  },
  /** The HTTP code of the same error. */
  permissionMissing: { code: 40014, means: 'the key lacks the permission', closes: false },
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
