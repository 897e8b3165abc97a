/** A call of the page as a program that runs as pasted. Keys that are not those of a demo account stay out of it. */
import type { Call } from './client.ts';
import { ccxtMethod, ccxtSection, sdkClient, sdkMethod } from './client-names.ts';

export interface Keys {
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export const PROGRAMS = ['curl', 'ccxt JS', 'ccxt Python', 'SDK'] as const;
export type Program = (typeof PROGRAMS)[number];

type Written = Pick<Call, 'method' | 'path' | 'query' | 'body' | 'signed'>;

/** For keys whose secret the page does not tell. */
export const PLACEHOLDERS: Keys = {
  apiKey: '$BOURSE_KEY',
  secretKey: '$BOURSE_SECRET',
  passphrase: '$BOURSE_PASSPHRASE',
};

export function programOf(program: Program, call: Written, origin: string, keys: Keys): string {
  switch (program) {
    case 'curl':
      return curl(call, origin, keys);
    case 'ccxt JS':
      return ccxtJs(call, origin, keys);
    case 'ccxt Python':
      return ccxtPython(call, origin, keys);
    case 'SDK':
      return sdk(call, origin, keys);
  }
}

const parametersOf = ({ query, body }: Written): object => body ?? query;
const isPrivate = ({ signed }: Written): boolean => signed !== '';

function targetOf({ path, query }: Written): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** A word of the shell; a quote in it ends the quoted text for a moment. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl(call: Written, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  const target = targetOf(call);
  const body = call.body === undefined ? '' : JSON.stringify(call.body);
  const data = body === '' ? '' : ` \\\n  -H 'Content-Type: application/json' -d "$body"`;
  if (!isPrivate(call)) return `curl ${quoted(origin + target)}\n`;
  return `target=${quoted(target)}
body=${quoted(body)}
ts=$(date +%s)000
sign=$(printf '%s' "\${ts}${call.method}\${target}\${body}" | openssl dgst -sha256 -hmac "${secretKey}" -binary | base64)
curl -X ${call.method} "${origin}$target" -H "ACCESS-KEY: ${apiKey}" -H "ACCESS-PASSPHRASE: ${passphrase}" \\
  -H "ACCESS-TIMESTAMP: $ts" -H "ACCESS-SIGN: $sign"${data}
`;
}

/** The method that ccxt has for the call, or its way to any path. */
function ccxtCall(call: Written, indent: number): string {
  const { method, path } = call;
  const parameters = JSON.stringify(parametersOf(call), undefined, indent);
  const name = ccxtMethod(method, path, isPrivate(call));
  if (name !== undefined) return `${name}(${parameters})`;
  const access = isPrivate(call) ? 'private' : 'public';
  return `request('${path.replace('/api/', '')}', ['${access}', '${ccxtSection(path)}'], '${method}', ${parameters})`;
}

function ccxtJs(call: Written, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  return `import ccxt from 'ccxt';

const api = '${origin}';
const exchange = new ccxt.bitget({
  apiKey: '${apiKey}',
  secret: '${secretKey}',
  password: '${passphrase}',
  options: { uta: true },
  urls: { api: { uta: api, spot: api, common: api, mix: api } },
});
console.log(await exchange.${ccxtCall(call, 2)});
`;
}

const WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** The words of JSON outside of its texts are others in Python. */
function asPython(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => WORDS[part] ?? part);
}

function ccxtPython(call: Written, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  return `import ccxt

api = '${origin}'
exchange = ccxt.bitget({
    'apiKey': '${apiKey}',
    'secret': '${secretKey}',
    'password': '${passphrase}',
    'options': {'uta': True},
    'urls': {'api': {'uta': api, 'spot': api, 'common': api, 'mix': api}},
})
print(exchange.${asPython(ccxtCall(call, 4))})
`;
}

function sdk(call: Written, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  const { method, path } = call;
  const parameters = parametersOf(call);
  const text = Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, undefined, 2);
  const name = sdkMethod(method, path);
  const bare = `${method.toLowerCase()}${isPrivate(call) ? 'Private' : ''}('${path}'${text === '' ? '' : `, ${text}`})`;
  return `import { ${sdkClient(path)} } from 'bitget-api';

const client = new ${sdkClient(path)}({
  baseUrl: '${origin}',
  apiKey: '${apiKey}',
  apiSecret: '${secretKey}',
  apiPass: '${passphrase}',
});
console.log(await client.${name === undefined ? bare : `${name}(${text})`});
`;
}
