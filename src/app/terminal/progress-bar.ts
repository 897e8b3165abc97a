/** A progress bar on one line; silent where the output is no terminal. */
const CELLS = 24;

export interface ProgressBar {
  /** Share done, from 0 to 1. */
  readonly show: (share: number) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** A terminal or another output. */
export interface Screen {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

export function progressBar(what: string, stream: Screen): ProgressBar {
  if (!stream.isTTY) return { show: () => {}, end: () => {} };
  const unicode = process.env.TERM !== 'dumb';
  let shown = false;
  return {
    show: (share) => {
      shown = true;
      const full = Math.round(Math.min(1, share) * CELLS);
      const bar = (unicode ? '█' : '#').repeat(full) + (unicode ? '░' : '.').repeat(CELLS - full);
      stream.write(`\r  ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${what}`);
    },
    end: () => {
      if (shown) stream.write('\r\u001b[K');
    },
  };
}
