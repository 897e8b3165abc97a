/** The envelope every answer wears (interface 1, wire 2.1). */

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

/** Data that comes as JSON: a long list is written where its rows are, and not taken apart on the way. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function successText(data: JsonText, requestTime: number): string {
  return `{"code":"00000","msg":"success","requestTime":${requestTime},"data":${data.text}}`;
}
