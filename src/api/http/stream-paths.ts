/** Paths of the WebSocket endpoints (wire 5.1) and their roles. Every other upgrade is an ordinary request. */
import type { IncomingMessage } from 'node:http';

/** The third serves both roles, for clients that support only one address (wire 7). */
export const STREAM_PATHS = {
  '/v3/ws/public': 'public',
  '/v3/ws/private': 'private',
  '/v3/ws': 'both',
} as const;

/** The requests of one's own account; not part of the interface that clients know (docs/inspector.md). */
export const INSPECT_PATH = '/v3/ws/inspect';

export type StreamRole = (typeof STREAM_PATHS)[keyof typeof STREAM_PATHS] | 'inspect';

export function streamRole(url: string | undefined): StreamRole | undefined {
  const path = (url ?? '').split('?', 1)[0]!.replace(/\/$/, '');
  if (path === INSPECT_PATH) return 'inspect';
  return Object.hasOwn(STREAM_PATHS, path) ? STREAM_PATHS[path as keyof typeof STREAM_PATHS] : undefined;
}

export function pathOf(role: StreamRole): string {
  return Object.entries(STREAM_PATHS).find(([, each]) => each === role)?.[0] ?? INSPECT_PATH;
}

export function opensStream(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && streamRole(request.url) !== undefined;
}
