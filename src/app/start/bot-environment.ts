/** The keys of an account, as a program that is started beside an exchange finds them in its environment. */

interface BotKeys {
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export function keysInEnvironment({
  apiKey,
  secretKey,
  passphrase,
}: BotKeys): Readonly<Record<string, string>> {
  return {
    BOURSE_API_KEY: apiKey,
    BOURSE_SECRET_KEY: secretKey,
    BOURSE_PASSPHRASE: passphrase,
    // The names that lab replay had: bots that read them go on working.
    BOURSE_KEY: apiKey,
    BOURSE_SECRET: secretKey,
  };
}
