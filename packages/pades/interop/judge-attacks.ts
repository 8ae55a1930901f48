import {
  type AttackRow,
  cellOf,
  ourStanding,
  type Standing,
  standingOf,
  TABLE_GROUPS,
  type Written,
} from "../testing/attack-table.ts";
import { createAttackStage, STAGE_LATER } from "../testing/attack-stage.ts";
import { trusting } from "../testing/trusting.ts";
import { validate } from "../src/validate/validate.ts";
import { changesSeen } from "./complaints.ts";
import type { Answer, DssVerdict, Judge, PyHankoVerdict, Verdict } from "./judge-process.ts";
import { temporaryFolder } from "./tool.ts";

/**
 * DSS always asks for revocation data: its complaint about a certificate that lacks nothing else.
 */
const UNREVOKED = /^(?:BBB_XCV_SUB_ANS|BBB_XCV_IRDPFC_ANS):/;

type Judges = { readonly dss: Judge<DssVerdict>; readonly pyHanko: Judge<PyHankoVerdict> };

/**
 * Asks all three validators about every attack and every honest file. The others are not asked
 * again about a file in `known` whose verdict of ours is the same.
 */
export async function judgeAttacks(
  { dss, pyHanko }: Judges,
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
