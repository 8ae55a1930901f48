import { andList, capitalised } from "@paraphe/kernel/french-words";
import * as z from "zod/mini";
import {
  emailSchema,
  idSchema,
  lineSchema,
  personNameSchema,
  type TeamRef,
  teamRef,
} from "./schema.ts";

export const MAX_CIRCUITS = 100;
export const MAX_CIRCUIT_STEPS = 20;
export const STEP_KINDS = { visa: "Visa", signature: "Signature", copy: "Copie" } as const;
export type StepKind = keyof typeof STEP_KINDS;

const person = { email: emailSchema, full_name: personNameSchema };
const shownPerson = { email: z.string(), full_name: z.string() };

/**
 * `owner`, `administrator`: one of the organisation; `team_administrator`: one of a team,
 * `team_members`: each, at once; `team` null: the preparer's; `other_party`: whom the preparer
 * names.
 */
const holderOf = <S extends z.core.$ZodShape>(named: S) =>
  z.discriminatedUnion("who", [
    z.strictObject({ who: z.literal("person"), ...named }),
    z.strictObject({ who: z.literal("owner") }),
    z.strictObject({ who: z.literal("administrator") }),
    z.strictObject({ who: z.literal("team_administrator"), team: z.nullable(teamRef) }),
    z.strictObject({ who: z.literal("team_members"), team: z.nullable(teamRef) }),
    z.strictObject({ who: z.literal("preparer") }),
    z.strictObject({ who: z.literal("other_party") }),
  ]);
export const MAX_STEP_DAYS = 60;
/**
 * `together`: at the same time as the step before. `days`: business days from the request, null for
 * no limit; `remind`: on the business day before the last one, or on each.
 */
const stepShape = {
  kind: z.enum(["visa", "signature", "copy"]),
  together: z.boolean(),
  may_return: z.boolean(),
  may_reassign: z.boolean(),
  days: z._default(z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_STEP_DAYS))), null),
  remind: z._default(z.nullable(z.enum(["eve", "daily"])), null),
};
const useSchema = z.enum(["imposed", "proposed", "free"]);

/**
 * `kinds`: for which it is imposed or proposed; `version`: the one edited, null for a new circuit.
 */
export const circuitRequest = z.strictObject({
  name: lineSchema(100, "Nom du circuit requis"),
  use: useSchema,
  kinds: z.array(lineSchema(60, "Genre requis")).check(z.maxLength(20)),
  steps: z
    .array(z.strictObject({ ...stepShape, by: holderOf(person) }))
    .check(z.minLength(1), z.maxLength(MAX_CIRCUIT_STEPS)),
  version: z._default(z.nullable(z.number()), null),
});
export type CircuitRequest = z.infer<typeof circuitRequest>;
export const circuitSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  use: useSchema,
  kinds: z.array(z.string()),
  steps: z.array(z.strictObject({ ...stepShape, by: holderOf(shownPerson) })),
  version: z.number(),
  /** Number of envelopes under way with it. */
  running: z.number(),
});
export type Circuit = z.infer<typeof circuitSchema>;
export type CircuitStep = Circuit["steps"][number];
export const circuitsAnswer = z.strictObject({ circuits: z.array(circuitSchema) });
export type CircuitList = z.infer<typeof circuitsAnswer>;

/** A circuit imposed on its kind comes first. */
export const chooseCircuitRequest = z.strictObject({
  kind: z.nullable(lineSchema(60, "Genre requis")),
  circuit_id: z.nullable(idSchema),
  other_party: z._default(z.array(z.strictObject(person)).check(z.maxLength(20)), []),
});
export type ChooseCircuitRequest = z.infer<typeof chooseCircuitRequest>;

export function stepRanks(steps: readonly Pick<CircuitStep, "together">[]): readonly number[] {
  let rank = 0;
  return steps.map(({ together }, index) => {
    if (index === 0 || !together) rank += 1;
    return rank;
  });
}

/** `step`: its index; null: the circuit has the fault. */
type CircuitFault = { readonly step: number | null; readonly text: string };

const DEEDS = { visa: "vise", signature: "signe", copy: "reçoit copie" } as const;

export function circuitFaults(steps: readonly CircuitStep[]): readonly CircuitFault[] {
  const ranks = stepRanks(steps);
  const signing = steps.flatMap(({ kind }, index) =>
    kind === "signature" ? [ranks[index] ?? 0] : [],
  );
  const last = Math.max(...signing);
  const faults: CircuitFault[] =
    signing.length === 0 ? [{ step: null, text: "Ajoutez au moins une signature." }] : [];
  for (const [step, { kind, by, days, remind }] of steps.entries()) {
    const rank = ranks[step] ?? 0;
    const fault = (text: string) => faults.push({ step, text: `Étape ${step + 1}\u00a0: ${text}` });
    if (by.who === "person" && (by.email.trim() === "" || by.full_name.trim() === ""))
      fault(`choisissez qui ${DEEDS[kind]}.`);
    if (remind === "eve" && days === null) fault("un rappel la veille demande un délai.");
    if (signing.length === 0) continue;
    if (kind === "copy" && rank < last) fault("une copie vient après la dernière signature.");
    if (kind === "visa" && rank >= last) fault("un visa vient avant une signature.");
  }
  return faults;
}

function holderName(by: CircuitStep["by"]): string {
  switch (by.who) {
    case "person":
      return by.full_name.trim() || "une personne à choisir";
    case "owner":
      return "un propriétaire";
    case "administrator":
      return "un administrateur";
    case "team_administrator":
      return `un administrateur de ${teamName(by.team)}`;
    case "team_members":
      return `chaque membre de ${teamName(by.team)}`;
    case "preparer":
      return "qui prépare";
    case "other_party":
      return "l’autre partie";
  }
}

const teamName = (team: TeamRef | null) =>
  team === null ? "l’équipe de qui prépare" : `l’équipe ${team.name}`;

export function businessDays(days: number): string {
  return days === 1 ? "1 jour ouvré" : `${days} jours ouvrés`;
}

/** « Un administrateur vise, puis l’autre partie signe\u202f; les Archives reçoivent copie. » */
export function circuitSentence(steps: readonly CircuitStep[]): string {
  const ranks = stepRanks(steps);
  const among = (kind: StepKind, ofRank?: number) =>
    steps.filter(
      (step, index) => step.kind === kind && (ofRank === undefined || ranks[index] === ofRank),
    );
  const said = (kind: StepKind, ofRank?: number) =>
    among(kind, ofRank).map(({ by }) => holderName(by));
  const parts = [...new Set(ranks)].flatMap((rank) =>
    (["visa", "signature"] as const).flatMap((kind) => {
      const names = said(kind, rank);
      if (names.length === 0) return [];
      const verb = kind === "visa" ? "vise" : "signe";
      const days = Math.max(0, ...among(kind, rank).map((step) => step.days ?? 0));
      const within = days === 0 ? "" : ` sous ${businessDays(days)}`;
      return [`${andList(names)} ${names.length > 1 ? `${verb}nt` : verb}${within}`];
    }),
  );
  const copies = said("copy");
  const end =
    copies.length === 0
      ? ""
      : `\u202f; ${andList(copies)} ${copies.length > 1 ? "reçoivent" : "reçoit"} copie`;
  return capitalised(`${parts.join(", puis ")}${end}.`);
}
