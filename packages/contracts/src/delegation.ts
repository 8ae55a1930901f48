import { formatLongDay } from "@paraphe/kernel/french-dates";
import * as z from "zod/mini";
import { dateSchema, idSchema } from "./schema.ts";

/** French, as shown after the dates. */
export const SCOPE_NAMES = { all: "toutes mes étapes" } as const;
export const delegationScope = z.enum(Object.keys(SCOPE_NAMES) as (keyof typeof SCOPE_NAMES)[]);
export type DelegationScope = z.infer<typeof delegationScope>;

/** Days of Paris, both included; one year at most. */
const period = { starts_on: dateSchema, ends_on: dateSchema };
/** `delegate_id`: a member that is no reader. */
export const delegationRequest = z.strictObject({
  delegate_id: idSchema,
  ...period,
  scope: delegationScope,
});
export type DelegationRequest = z.infer<typeof delegationRequest>;

/** `person`: the delegate of a delegation given, the delegator of one received. */
const delegationRow = z.strictObject({
  id: idSchema,
  person: z.strictObject({ id: idSchema, name: z.string() }),
  ...period,
  scope: delegationScope,
  state: z.enum(["upcoming", "current", "over"]),
  signatures: z.int(),
  /** Documents that wait for the delegator's signature. */
  waiting: z.int(),
});
export type Delegation = z.infer<typeof delegationRow>;
/** `received`: without those that are over. */
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
