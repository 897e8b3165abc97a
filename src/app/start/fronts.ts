/** The listeners of an exchange. The venue behind them can be replaced while they stay open. */
import type { ServerResponse } from 'node:http';
import { ADMIN_HTTP } from '../../admin/server.ts';
import { HTTP_LIMITS, limitConnections } from '../../api/http/http-limits.ts';
import { errorEnvelope } from '../../api/wire/envelope.ts';
import { JSON_TYPE } from '../../http/client-error.ts';
import { Front } from '../../http/front.ts';
import type { Config } from '../config/settings.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { closeFront } from './listen.ts';
import type { Venue } from './venue.ts';

const BUSY = 'the exchange goes back to an earlier state, or is down, and is not ready yet: try again';

export interface Fronts {
  readonly api: Front;
  readonly admin: Front;
  readonly connections: ConnectionLimit;
  /** Requests go to this venue from now on. */
  serve(venue: Venue): void;
  /** Closes the listeners and the servers of the venue behind them. */
  close(venue: Venue): Promise<void>;
}

export function openFronts(config: Config, connections: ConnectionLimit): Fronts {
  const api = new Front({
    http: HTTP_LIMITS.server,
    limit: (server) => {
      limitConnections(server, connections.max);
      connections.attach(server);
    },
    refuse: (response) => refuse(response, JSON.stringify(errorEnvelope('429', BUSY, Date.now()))),
  });
  const admin = new Front({
    http: ADMIN_HTTP,
    limit: () => {},
    refuse: (response) => refuse(response, JSON.stringify({ error: { code: 'unavailable', message: BUSY } })),
  });
  return {
    api,
    admin,
    connections,
    serve: (venue) => {
      api.serve(venue.api.server);
      if (config.operator) admin.serve(venue.admin!.server);
    },
    close: async (venue) => {
      const fronts = [closeFront(api, venue.api)];
      if (venue.admin !== undefined) fronts.push(closeFront(admin, venue.admin));
      await Promise.all(fronts);
    },
  };
}

function refuse(response: ServerResponse, body: string): void {
  response.writeHead(503, { 'content-type': JSON_TYPE, 'retry-after': '1' }).end(body);
}
