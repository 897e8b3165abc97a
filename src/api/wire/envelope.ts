/** The envelope of every response (interface 1, wire 2.1). */

export interface Envelope {
  readonly code: string;
  readonly msg: string;
  readonly requestTime: number;
  readonly data: unknown;
}

/** `msg` must be exactly `success`: a widely used client throws on anything else. */
export function successEnvelope(data: unknown, requestTime: number): Envelope {
  return { code: '00000', msg: 'success', requestTime, data };
}

export function errorEnvelope(code: string, msg: string, requestTime: number): Envelope {
  return { code, msg, requestTime, data: null };
}

/** Data that is already JSON: a long list is serialised in the history's thread and not parsed here. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function successText(data: JsonText, requestTime: number): string {
  return `{"code":"00000","msg":"success","requestTime":${requestTime},"data":${data.text}}`;
}
