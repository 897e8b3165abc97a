/**
 * The process log, on stderr: JSON lines for machines, readable lines on a terminal. Requests are logged by an
 * allow-list of fields; the redaction list below is a second barrier, for objects that should not have come here.
 */
import type { DestinationStream, Logger, LoggerOptions } from 'pino';
import pino from 'pino';
import type { Config } from '../config/settings.ts';
import { painter } from '../terminal/colour.ts';
import { PrettyLog } from '../terminal/pretty-log.ts';

const SECRET_FIELDS = [
  'secret',
  'secretKey',
  'apiSecret',
  'apiKey',
  'passphrase',
  'password',
  'signature',
  'sign',
  'authorization',
  'cookie',
  'headers',
  'rawHeaders',
  'body',
];

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), remove: true },
  serializers: { req: requestFields, res: responseFields, err: errorFields },
};

/** `elsewhere`: lines for machines, not on stderr. */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat' | 'color'>,
  elsewhere?: DestinationStream,
): Logger {
  const options = { ...OPTIONS, level: config.logLevel };
  if (elsewhere !== undefined) return pino(options, elsewhere);
  const { stderr } = process;
  const pretty = config.logFormat === 'pretty' || (config.logFormat === 'auto' && stderr.isTTY);
  const destination: DestinationStream = pretty
    ? new PrettyLog((line) => stderr.write(line), painter(config.color, stderr))
    : pino
        .destination({ fd: stderr.fd, sync: true, maxLength: UNWRITTEN_MAX })
        .on('error', ignoreOutputError);
  for (const stream of [process.stdout, stderr])
    if (!stream.listeners('error').includes(ignoreOutputError)) stream.on('error', ignoreOutputError);
  return pino(options, destination);
}

/** Bytes of lines that wait for a disk without space; further lines are dropped. */
const UNWRITTEN_MAX = 2 ** 20;

/** The terminal or the reader of the log has gone, or its disk is full: no reason for the exchange to end. */
function ignoreOutputError(): void {}

interface LoggedRequest {
  readonly id?: unknown;
  readonly method?: string;
  readonly routeOptions?: { readonly url?: string | undefined };
}

/** A URL may contain secrets by mistake, so only the matched route is logged. */
function requestFields({ id, method, routeOptions }: LoggedRequest) {
  return { id, method, path: routeOptions?.url ?? '(unknown)' };
}

function responseFields({ statusCode }: { readonly statusCode?: number }) {
  return { statusCode };
}

/** Errors of libraries carry requests and headers; only type, code, message and stack are logged. */
function errorFields(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, code: (error as NodeJS.ErrnoException).code, message, stack };
}
