import { validate } from "../src/validate/validate.ts";
import { STAGE_LATER, createAttackStage } from "../testing/attack-stage.ts";
import {
  type AttackRow,
  type Standing,
  TABLE_GROUPS,
  type Written,
  cellOf,
  ourStanding,
  standingOf,
} from "../testing/attack-table.ts";
import { trusting } from "../testing/test-pki.ts";
import { changesSeen } from "./complaints.ts";
import type { Answer, DssVerdict, Validator, PyHankoVerdict, Verdict } from "./validators.ts";
import { temporaryFolder } from "./tool.ts";

/**
 * DSS always asks for revocation data: its complaint about a certificate that lacks nothing else.
 */
const UNREVOKED = /^(?:BBB_XCV_SUB_ANS|BBB_XCV_IRDPFC_ANS):/;

type Validators = {
  readonly dss: Validator<DssVerdict>;
  readonly pyHanko: Validator<PyHankoVerdict>;
};

/**
 * Asks all three validators about every attack and every honest file. The others are not asked
 * again about a file in `known` whose verdict of ours is the same.
 */
export async function validateAttacks(
  { dss, pyHanko }: Validators,
  known: ReadonlyMap<string, Written>,
): Promise<readonly AttackRow[]> {
  const [stage, folder] = [await createAttackStage(), temporaryFolder()];
  const anchors = [folder.write("root.der", stage.pki.root.certificates[0] as Uint8Array)];
  const rows: AttackRow[] = [];
  try {
    for (const [group, attacks] of Object.entries(TABLE_GROUPS))
      for (const [name, make] of Object.entries(attacks)) {
        const bytes = await make(stage);
        const ours = ourStanding(
          await validate(bytes, {
            evidence: trusting(stage.pki.root.certificates),
            now: STAGE_LATER,
          }),
        );
        const written = known.get(name);
        if (written?.ours === cellOf(ours)) {
          rows.push({
            group,
            name,
            ours,
            dss: standingOf(written.dss),
            pyHanko: standingOf(written.pyHanko),
          });
          continue;
        }
        const question = {
          pdf: folder.write(`${rows.length}.pdf`, bytes),
          anchors,
          at: STAGE_LATER,
          revocation: "soft-fail",
        } as const;
        const [dssAnswer, pyHankoAnswer] = await Promise.all([
          dss.ask(question),
          pyHanko.ask(question),
        ]);
        const others = {
          dss: worst(dssAnswer, dssStanding),
          pyHanko: worst(pyHankoAnswer, pyHankoStanding),
        };
        rows.push({ group, name, ours, ...others });
      }
  } finally {
    folder.remove();
  }
  return rows;
}

function worst<V extends Verdict>(
  { error, signatures = [] }: Answer<V>,
  standing: (verdict: V) => Standing,
): Standing {
  if (error !== undefined)
    return { verdict: "failed", why: /no answer/.test(error) ? "no answer" : "not read" };
  const all = signatures.map(standing);
  const found = (["failed", "indeterminate", "passed"] as const).map((verdict) =>
    all.find((one) => one.verdict === verdict),
  );
  return found.find((one) => one !== undefined) ?? { verdict: "failed", why: "no signature" };
}

function dssStanding(verdict: DssVerdict): Standing {
  const { indication, sub_indication, errors } = verdict;
  const why = sub_indication ?? "";
  if (indication.endsWith("FAILED")) return { verdict: "failed", why };
  if (indication === "INDETERMINATE" && !errors.every((error) => UNREVOKED.test(error)))
    return { verdict: "indeterminate", why };
  return { verdict: "passed", why: changesSeen(verdict).length > 0 ? "changes noted" : "" };
}

function pyHankoStanding(one: PyHankoVerdict): Standing {
  if (!one.intact) return { verdict: "failed", why: "digest" };
  if (!one.valid) return { verdict: "failed", why: "value" };
  if (!one.coverage.startsWith("ENTIRE")) return { verdict: "failed", why: "coverage" };
  if (!one.docmdp_ok) return { verdict: "failed", why: "changes" };
  const [, failure, why = ""] =
    /AdES(Failure|Indeterminate)\.(\w+)/.exec(one.ades ?? one.failure ?? "") ?? [];
  // A path to the anchor exists; a past one, which would need revocation data, does not.
  const isTrusted = one.trusted && why === "NO_POE";
  if (failure === undefined || isTrusted) return { verdict: "passed", why: "" };
  return { verdict: failure === "Failure" ? "failed" : "indeterminate", why };
}

/** Why DSS or pyHanko and we differ on an attack, one line for each group of files. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "Universal signature forgery":
    "DSS judges whole signatures alone; a field that looks signed and holds none is shown as signed by readers.",
  "Incremental saving":
    "DSS notes what changed; both pass bytes that no table lists, which a reader that rebuilds the table shows.",
  "Shadow attacks":
    "DSS notes what changed; pyHanko takes another look of a field, its value kept, for filling.",
  Certifications:
    "DSS notes what was added; the certification does not allow it (ISO 32000-2 §12.8.2.2).",
  "Byte ranges": "DSS takes a range that ends early for that of an earlier revision.",
  "Signed data":
    "DSS passes data that name their certificate not at all or by SHA-1, or have two signers; PAdES excludes them (EN 319 142-1 §6.3).",
  "Security store":
    "Both judge by the proofs that are left; we ask that none be taken away, and that none be for a signature that is not there.",
  Times:
    "DSS passes a signature whatever its own time-stamp is worth; we say that its time is not proven.",
  "Structure of the file":
    "Each of both passes what its own parser reads; we refuse a table that another parser reads otherwise.",
  Disguises:
    "Both pass objects that are written where no table leads; a reader that looks through the bytes for them finds them.",
  Forms:
    "DSS notes what came; pyHanko lets a signature field come whatever it shows, and a field be filled by nobody who signs.",
  Roles: "Both compare an object that serves as two things as one of them.",
  Trust:
    "Neither asks, by default, whether a certificate is one for documents; DSS passes some data that repeat or misplace what they say.",
  "Meaning of entries":
    "Neither compares what the file says of itself, nor asks for what a field's author required of its signer (seed values).",
  "Places and pages":
    "Neither measures how much of a page later signatures cover, or minds a place that changes with the zoom.",
  Digests:
    "DSS passes a signature whose own time-stamp rests on SHA-1; we say that its time is not proven.",
  "Signatures that no field lists":
    "Both judge what the form lists; readers show what stands on a page as well.",
  Parents: "Neither compares all that stands above a field and gives it value, look or actions.",
  "Shapes of objects":
    "DSS notes some of it and compares neither bookmarks nor names; both pass entries of a trailer that nobody knows.",
  Filling:
    "DSS notes what is filled; pyHanko passes what nobody signed for, and neither measures what it covers.",
  Names: "DSS notes some; its parser takes names of different bytes for one, as some readers do.",
  "What must be kept":
    "Neither compares the description; DSS does not compare an entry that leads to the catalog itself.",
  "Other makers’ habits":
    "They are near misses of what we let other makers do: both let more of that kind come, whatever it shows.",
  "Two readings of one file":
    "Each of both reads the file in one way; we refuse one that parsers read in two.",
  "Honest files":
    "pyHanko has no rule for some harmless changes and does not read some odd files; DSS does not end on two, nor read one.",
};
