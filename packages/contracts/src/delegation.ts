import { formatLongDay } from "@paraphe/kernel/french-dates";
import * as z from "zod/mini";
import type { Role } from "./envelope.ts";
import { dateSchema, idSchema } from "./schema.ts";

/** French, as chosen. */
export const SCOPE_CHOICES = {
  all: "Toutes mes étapes",
  circuit: "Un circuit",
  visas: "Les visas seulement",
  signatures: "Les signatures seulement",
} as const;
export type DelegationScope = keyof typeof SCOPE_CHOICES;
export const delegationScope = z.enum(Object.keys(SCOPE_CHOICES) as DelegationScope[]);

export const SCOPE_ROLES: Readonly<Record<DelegationScope, readonly Role[] | null>> = {
  all: null,
  circuit: null,
  visas: ["visa"],
  signatures: ["signer", "approver"],
};

/** French, as shown after the dates; `circuit`: its name. `of`: who reads it. */
export function scopeInWords(
  { scope, circuit }: { readonly scope: DelegationScope; readonly circuit: string | null },
  of: "mes" | "vos" | "ses" = "mes",
): string {
  if (scope === "all") return `toutes ${of} étapes`;
  if (scope === "circuit") return `circuit «\u00a0${circuit ?? ""}\u00a0»`;
  return `${of} ${scope} seulement`;
}

export type StandingDelegation = {
  readonly id: string;
  readonly emailKey: string;
  readonly name: string;
  readonly scope: DelegationScope;
  readonly circuitId: string | null;
  readonly circuit: string | null;
  readonly startsOn: string;
  readonly endsOn: string;
  /** The end, within a day; null while it stands. */
  readonly overAt: Date | null;
};

/** Days of Paris, both included; one year at most. */
const period = { starts_on: dateSchema, ends_on: dateSchema };
/** `delegate_id`: a member who is no reader. `circuit_id`: with the scope `circuit` alone. */
export const delegationRequest = z.strictObject({
  delegate_id: idSchema,
  ...period,
  scope: delegationScope,
  circuit_id: z._default(z.nullable(idSchema), null),
});
export type DelegationRequest = z.infer<typeof delegationRequest>;

/** `person`: the delegate of one given, the delegator of one received. */
const delegationRow = z.strictObject({
  id: idSchema,
  person: z.strictObject({ id: idSchema, name: z.string() }),
  ...period,
  scope: delegationScope,
  /** The name it had when it was delegated. */
  circuit: z.nullable(
    z.strictObject({ id: idSchema, name: z.string(), deleted: z.optional(z.literal(true)) }),
  ),
  state: z.enum(["upcoming", "current", "over"]),
  signatures: z.int(),
  /** Documents that wait for the delegator, within the scope. */
  waiting: z.int(),
});
export type Delegation = z.infer<typeof delegationRow>;
/** `received` leaves out those that are over. */
export const delegationList = z.strictObject({
  given: z.array(delegationRow),
  received: z.array(delegationRow),
});
export type DelegationList = z.infer<typeof delegationList>;

type Period = { readonly starts_on: string; readonly ends_on: string };

/** « du 16 au 27 novembre 2026 ». */
export function periodInWords({ starts_on, ends_on }: Period): string {
  const [end, start] = [formatLongDay(ends_on), formatLongDay(starts_on)];
  if (starts_on === ends_on) return `le ${end}`;
  const [day = "", month = ""] = start.split(/\s/);
  if (starts_on.slice(0, 7) === ends_on.slice(0, 7)) return `du ${day} au ${end}`;
  return starts_on.slice(0, 4) === ends_on.slice(0, 4)
    ? `du ${day}\u00a0${month} au ${end}`
    : `du ${start} au ${end}`;
}
