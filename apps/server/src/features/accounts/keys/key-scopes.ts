import type { KeyScope } from "@paraphe/contracts";

type Rule = readonly [method: RegExp, path: RegExp, scope: KeyScope | "any"];

const READ = /^(GET|HEAD)$/;
const WRITE = /^(POST|PUT|PATCH|DELETE)$/;
const ALL = /./;
const under = (rest: string) => new RegExp(`^/api/signature/${rest}$`);

/**
 * The first match holds. Without a row, a person alone may: signing, the account, the organisation.
 */
const RULES: readonly Rule[] = [
  [READ, under("me/"), "any"],
  [ALL, under("me/webhooks/.*"), "webhooks:write"],
  [READ, under("envelopes/:id/(download|evidence)/"), "proof:read"],
  [READ, under("prints/.*"), "proof:read"],
  [READ, under("envelopes/(:id/)?"), "envelopes:read"],
  [READ, under("envelopes/counts/"), "envelopes:read"],
  [READ, under("envelopes/:id/(events|public-page|reminders|documents/.*)/?"), "envelopes:read"],
  [READ, under("(templates|layouts)/.*"), "envelopes:read"],
  [READ, under("dashboard/"), "envelopes:read"],
  [
    WRITE,
    under("envelopes/:id/(send|cancel|remind|reminders|extend|deadline|purge|public-page)/"),
    "envelopes:send",
  ],
  [WRITE, under("envelopes/:id/recipients/.*"), "envelopes:send"],
  [WRITE, under("envelopes/(:id/)?((restore|duplicate)/)?"), "envelopes:write"],
  [WRITE, under("(templates|layouts)/.*"), "envelopes:write"],
  [READ, under("(contacts/(:id/)?|recipients/.*)"), "contacts:read"],
  [ALL, under("prints/generate/"), "proof:read"],
];

/** Null: no key. `route`: the registered pattern. */
export function scopeOfRoute(method: string, route: string): KeyScope | "any" | null {
  const rule = RULES.find(([methods, path]) => methods.test(method) && path.test(route));
  return rule?.[2] ?? null;
}
