/** Logs when a limit of the house's exposure is passed and when it holds again, and when the venue is not solvent. */
import type { Logger } from 'pino';
import { type Exposure, exposureWarnings, type HouseExposure } from '../../reserves/house-exposure.ts';

const CHECK_INTERVAL_MS = 10_000;

export class ExposureMonitor {
  readonly #exposure: Pick<HouseExposure, 'kept'>;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #passed = '';
  #missing = '';

  constructor(exposure: Pick<HouseExposure, 'kept'>, logger: Logger) {
    this.#exposure = exposure;
    this.#logger = logger;
    this.#timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
    this.check();
  }

  check(): void {
    const exposure = this.#exposure.kept();
    const missing = exposure.missing.map(({ coin, solvency }) => `${coin} is ${solvency}`).join(', ');
    if (missing !== this.#missing) {
      this.#missing = missing;
      if (missing === '') this.#logger.warn('everything that is owed is held again');
      else if (exposure.solvency === 'insolvent') this.#logger.error(`the venue lacks money: ${missing}`);
      else this.#logger.warn(`part of what is owed is lent out: ${missing}`);
    }
    // The amounts change all the time; what is passed does not.
    const passed = passedLimits(exposure);
    if (passed === this.#passed) return;
    this.#passed = passed;
    if (passed === '') this.#logger.warn("the house's exposure is within its limits again");
    else this.#logger.warn(`the house's exposure: ${exposureWarnings(exposure).join('; ')}`);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function passedLimits({ limits, closeOnly }: Exposure): string {
  const passed = limits.filter((limit) => limit.passed).map(({ figure, coin }) => `${figure} ${coin}`);
  return [...passed, ...closeOnly].join(', ');
}
