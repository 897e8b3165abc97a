/** Reads files of recorded market data, whatever format they have. A row that cannot be read is refused with its place. */
import { existsSync } from 'node:fs';
import { REPLAY_LINES_MAX } from '../limits.ts';
import { SimulatorError } from '../simulator-error.ts';
import {
  BadRow,
  type Cells,
  type Entry,
  type FileReader,
  FORMAT_NAMES,
  FORMATS,
  formatNamed,
  formatOf,
  readerOf,
} from './formats.ts';
import { pairOf, pairOfFile } from './pair-names.ts';
import { Columns, type Recording } from './recording.ts';
import { type TextFile, textFilesOf } from './text-lines.ts';

/** Length of a candle when the file has only one row of a pair. */
const CANDLE_MS = 60_000;
const JSON_BYTES_MAX = 512 * 1024 * 1024;

export interface ReadOptions {
  /** `FORMAT` or `FORMAT:PAIR`; found by the header unless given. */
  readonly as?: string;
  /** Rows that cannot be read and are left out before the file is refused. */
  readonly skipBad?: number;
  readonly progress?: (share: number) => void;
}

export const AS_RULE = `one of ${FORMAT_NAMES.join(', ')}, and where the file does not name it the pair behind a colon, such as binance-trades:BTC/USDT`;

/** `FORMAT:PAIR` as given; undefined when it is none. */
export function readAs(
  text: string,
): { readonly format: string; readonly pair: string | undefined } | undefined {
  const at = text.indexOf(':');
  const format = at < 0 ? text : text.slice(0, at);
  const pair = at < 0 ? undefined : pairOf(text.slice(at + 1));
  if (formatNamed(format) === undefined || (at >= 0 && pair === undefined)) return undefined;
  return { format, pair };
}

/** One file, or several with commas between them; each in order of time. Throws SimulatorError. */
export async function readRecording(paths: string, options: ReadOptions = {}): Promise<Recording> {
  const { progress = () => {} } = options;
  const names = existsSync(paths) ? [paths] : paths.split(',');
  const reader = new RecordingReader(options);
  for (const [n, path] of names.entries())
    for (const file of await textFilesOf(path, (share) => progress((n + share) / names.length)))
      await reader.file(file);
  progress(1);
  return reader.end(paths);
}

/** Time of the first row; as much of the first file as that needs is read. */
export async function recordingStart(paths: string, options: ReadOptions = {}): Promise<number> {
  const path = existsSync(paths) ? paths : paths.split(',')[0]!;
  const reader = new RecordingReader(options, 1);
  for (const file of await textFilesOf(path)) {
    await reader.file(file);
    if (reader.columns.rows > 0) break;
  }
  return reader.end(paths).start;
}

class RecordingReader {
  readonly columns = new Columns();
  readonly #options: ReadOptions;
  /** Ends a file after this many rows. */
  readonly #rowsMax: number;
  readonly #names: string[] = [];
  #lines = 0;
  #skipped = 0;

  constructor(options: ReadOptions, rowsMax = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#rowsMax = rowsMax;
  }

  async file(file: TextFile): Promise<void> {
    const given = this.#options.as === undefined ? undefined : readAs(this.#options.as);
    if (this.#options.as !== undefined && given === undefined)
      throw new SimulatorError(`--as must be ${AS_RULE}`);
    const rows = new FileRows(file, given?.format, given?.pair ?? pairOfFile(file.baseName));
    const candles = new CandlePaths(this.columns);
    let last = Number.NEGATIVE_INFINITY;
    let read = 0;
    for await (const { line, entry } of rows.entries()) {
      if (++this.#lines > REPLAY_LINES_MAX)
        throw new SimulatorError(`${file.name} has more than ${REPLAY_LINES_MAX} lines`);
      if (entry instanceof BadRow) this.#bad(file.name, line, entry.message);
      else if (entry.time < last) this.#bad(file.name, line, 'times must not go back');
      else {
        last = entry.time;
        this.#add(entry, candles);
        if (++read >= this.#rowsMax) break;
      }
    }
    candles.end();
  }

  end(paths: string): Recording {
    if (this.columns.rows === 0) throw new SimulatorError(`${paths} has no rows`);
    return this.columns.arranged(this.#names, this.#skipped);
  }

  #add({ time, pair, prices, size, side, levels }: Entry, candles: CandlePaths): void {
    let number = this.#names.indexOf(pair);
    if (number < 0) number = this.#names.push(pair) - 1;
    if (prices.length > 1) candles.add(time, number, prices);
    else this.columns.add(time, number, prices[0]!, size, side, levels);
  }

  #bad(name: string, line: number, reason: string): void {
    const { skipBad = 0 } = this.#options;
    if (++this.#skipped <= skipBad) return;
    const more = skipBad === 0 ? '' : ` (${skipBad} bad rows were left out before it)`;
    throw new SimulatorError(`${name}, line ${line}: ${reason}${more}`);
  }
}

interface FileRow {
  readonly line: number;
  readonly entry: Entry | BadRow;
}

/** The rows of one file. */
class FileRows {
  readonly #file: TextFile;
  readonly #given: string | undefined;
  readonly #pair: string | undefined;

  constructor(file: TextFile, given: string | undefined, pair: string | undefined) {
    this.#file = file;
    this.#given = given;
    this.#pair = pair;
  }

  async *entries(): AsyncIterable<FileRow> {
    let line = 0;
    let table: Table | undefined;
    for await (const text of this.#file.lines()) {
      line++;
      const trimmed = text.replace(/^\uFEFF/, '').trim();
      if (trimmed === '' || trimmed.startsWith('#')) continue;
      if (table === undefined && (trimmed.startsWith('[') || this.#given === 'ccxt-ohlcv')) {
        yield* this.#json();
        return;
      }
      const cells = trimmed.split(',').map((cell) => cell.trim());
      if (table === undefined) {
        table = this.#tableOf(cells, line);
        if (table.hasHeader) continue;
      }
      const entry = table.read(cells);
      if (entry !== undefined) yield { line, entry };
    }
    for (const entry of table?.end() ?? []) yield { line, entry };
  }

  #tableOf(cells: readonly string[], line: number): Table {
    const format = this.#given === undefined ? formatOf(cells) : formatNamed(this.#given)!;
    if (format === undefined)
      throw new SimulatorError(
        `${this.#file.name}, line ${line}: the first line must name the columns ${FORMATS[0].header.join(',')} or ` +
          `${FORMATS[1].header.join(',')}, or be of a format that is known by its shape; --as names it: ${AS_RULE}`,
      );
    return new Table(format, cells, this.#pair);
  }

  /** ccxt's candles: one array of all, or an array a line. */
  async *#json(): AsyncIterable<FileRow> {
    const lines: string[] = [];
    let chars = 0;
    for await (const text of this.#file.lines()) {
      lines.push(text);
      chars += text.length;
      if (chars > JSON_BYTES_MAX)
        throw new SimulatorError(
          `${this.#file.name} is longer than ${JSON_BYTES_MAX} characters: give it as CSV`,
        );
    }
    const whole = parsed(lines.join('\n'));
    const isList = Array.isArray(whole) && whole.every((row) => Array.isArray(row));
    const table = new Table(formatNamed('ccxt-ohlcv')!, [], this.#pair);
    const rows: readonly (readonly [number, unknown])[] = isList
      ? whole.map((row: unknown, n) => [n + 1, row])
      : lines.flatMap((text, n) => (text.trim() === '' ? [] : [[n + 1, parsed(text)]]));
    for (const [line, row] of rows) {
      if (!Array.isArray(row))
        yield { line, entry: new BadRow('must be an array [time,open,high,low,close,volume]') };
      else {
        const entry = table.read(row.map((cell) => String(cell)));
        if (entry !== undefined) yield { line, entry };
      }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cells of rows by the names of their columns. */
class Table implements Cells {
  readonly hasHeader: boolean;
  readonly pair: string | undefined;
  readonly #reader: FileReader;
  readonly #columns: ReadonlyMap<string, number>;
  #cells: readonly string[] = [];

  constructor(
    format: NonNullable<ReturnType<typeof formatNamed>>,
    first: readonly string[],
    pair: string | undefined,
  ) {
    const { header, places = [] } = format;
    const names = first.map((cell) => cell.toLowerCase());
    this.hasHeader = header.length > 0 && header.every((name) => names.includes(name));
    this.pair = pair;
    this.#reader = readerOf(format);
    const columns = this.hasHeader ? names : places;
    this.#columns = new Map(columns.map((name, n) => [name, n]));
  }

  get(name: string): string {
    return this.#cells[this.#columns.get(name) ?? -1] ?? '';
  }

  read(cells: readonly string[]): Entry | BadRow | undefined {
    this.#cells = cells;
    try {
      return this.#reader.read(this);
    } catch (error) {
      if (error instanceof BadRow) return error;
      throw error;
    }
  }

  /** What the file says with all of its rows. */
  end(): readonly Entry[] {
    return this.#reader.end();
  }
}

/** Candles as four prices each, over the time to the next candle of the pair. */
class CandlePaths {
  readonly #columns: Columns;
  readonly #open = new Map<number, { readonly time: number; readonly path: readonly number[] }>();
  #span = CANDLE_MS;
  #known = false;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  add(time: number, pair: number, prices: readonly number[]): void {
    const last = this.#open.get(pair);
    if (last !== undefined && time > last.time) {
      // A gap in the file does not make the candle before it longer.
      this.#span = this.#known ? Math.min(this.#span, time - last.time) : time - last.time;
      this.#known = true;
      this.#write(pair, last);
    } else if (last !== undefined) this.#write(pair, last);
    this.#open.set(pair, { time, path: candlePath(prices) });
  }

  end(): void {
    for (const [pair, last] of this.#open) this.#write(pair, last);
    this.#open.clear();
  }

  #write(pair: number, { time, path }: { readonly time: number; readonly path: readonly number[] }): void {
    for (const [n, price] of path.entries())
      this.#columns.add(time + (this.#span * n) / path.length, pair, price);
  }
}

/** A rising candle dips before it rises, a falling one the reverse. */
function candlePath(prices: readonly number[]): readonly number[] {
  const [open, high, low, close] = prices as [number, number, number, number];
  return close >= open ? [open, low, high, close] : [open, high, low, close];
}
