/** What the public interface knows of its calls, for the referee. */
import { Mistakes } from '../../api/ws/inspect/mistakes.ts';
import { codeOf, isUnknownOutcome, routeOf } from '../../api/ws/inspect/why.ts';
import type { KeyDirectory } from '../../identity/identity.ts';
import type { ConductRules } from '../../lab/referee/conduct.ts';

export function conductRules(keys: () => KeyDirectory): ConductRules {
  return {
    limitOf: (entry) => {
      const route = entry.kind === 'http' ? routeOf(entry) : undefined;
      return route && { path: route.path, perSecond: route.perSecond };
    },
    codeOf,
    isUnknownOutcome,
    mistakes: (entries) => {
      const found = new Mistakes(keys());
      for (const entry of entries) found.note(entry);
      return found.list.map(({ kind, subject, advice, count }) => ({ kind, subject, advice, count }));
    },
  };
}
