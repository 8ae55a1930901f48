import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changesSeen } from "../../packages/pades/interop/complaints.ts";
import {
  type Answer,
  type DssVerdict,
  openDss,
  openPyHanko,
  type PyHankoVerdict,
  unavailableValidators,
  type Validator,
  type Verdict,
} from "../../packages/pades/interop/validators.ts";
import { type Folder, temporaryFolder } from "../../packages/pades/interop/tool.ts";
import { validate } from "../../packages/pades/src/validate/validate.ts";
import { createAttackStage, STAGE_LATER } from "../../packages/pades/testing/attack-stage.ts";
import { ATTACKS } from "../../packages/pades/testing/attacks.ts";
import { HONEST_STRICT, STRICT_ATTACKS } from "../../packages/pades/testing/attacks-strict.ts";
import { HONEST } from "../../packages/pades/testing/honest.ts";
import { trusting } from "../../packages/pades/testing/test-pki.ts";

type Standing = "sound" | "undecided" | "broken";

const missing = unavailableValidators();
const MINUTES = 60_000;
const FILES = { ...ATTACKS, ...STRICT_ATTACKS, ...HONEST, ...HONEST_STRICT };
/** DSS compares each array with every other, and does not end for these. */
const ENDLESS_FOR_DSS = new Set([
  "shape: what 240 arrays hold",
  "240 arrays in each other, signed twice",
]);
const OURS = {
  TOTAL_PASSED: "sound",
  INDETERMINATE: "undecided",
  TOTAL_FAILED: "broken",
} as const;
/** DSS always asks for revocation data, which these files do not carry. */
const UNREVOKED = /^(?:BBB_XCV_SUB_ANS|BBB_XCV_IRDPFC_ANS):/;
const REFUSED_BY_US = "refused by us";
const DIFFERENCES = fileURLToPath(
  new URL("../../packages/pades/src/validate/attacks.differences.txt", import.meta.url),
);

function dssStanding(verdict: DssVerdict): Standing {
  const { indication, errors } = verdict;
  if (indication.endsWith("FAILED")) return "broken";
  const lacksRevocationAlone = errors.every((error) => UNREVOKED.test(error));
  if (indication === "INDETERMINATE" && !lacksRevocationAlone) return "undecided";
  // DSS reports later changes beside its verdict, for a reader to decide.
  return changesSeen(verdict).length > 0 ? "undecided" : "sound";
}

function pyHankoStanding(one: PyHankoVerdict): Standing {
  const isWhole = one.intact && one.valid && one.coverage.startsWith("ENTIRE") && one.docmdp_ok;
  if (!isWhole) return "broken";
  const said = one.ades ?? one.failure ?? "";
  // Trusted as of then; a path in the past needs revocation data.
  if (!/AdES(?:Failure|Indeterminate)\./.test(said)) return "sound";
  if (one.trusted && said.endsWith(".NO_POE")) return "sound";
  return said.includes("AdESFailure.") ? "broken" : "undecided";
}

/** A file is as good as its worst signature. */
function worst<V extends Verdict>(
  { error, signatures = [] }: Answer<V>,
  standing: (verdict: V) => Standing,
): Standing {
  if (error !== undefined) return "broken";
  const all = new Set(signatures.map(standing));
  return all.has("broken")
    ? "broken"
    : all.has("undecided") || all.size === 0
      ? "undecided"
      : "sound";
}

/** Gives null where nobody contradicts us. */
function difference(ours: Standing, dss: Standing, pyHanko: Standing): string | null {
  if (ours === "broken") return dss === "sound" && pyHanko === "sound" ? REFUSED_BY_US : null;
  const refusing = [
    ...(dss === "broken" ? ["DSS"] : []),
    ...(pyHanko === "broken" ? ["pyHanko"] : []),
  ];
  return refusing.length > 0 ? `refused by ${refusing.join(" and ")}` : null;
}

type Listed = { readonly kind: string; readonly files: string };

/** Sections `[kind] reason` with a file's name a line, or the beginning of names: `section: *`. */
function readDifferences(): readonly Listed[] {
  const sections = readFileSync(DIFFERENCES, "utf8").trim().split("\n\n");
  return sections.flatMap((section) => {
    const [head = "", ...lines] = section.split("\n");
    const kind = /^\[(.+)\] \S.+\.$/.exec(head)?.[1];
    if (kind === undefined) throw new Error(`Expected a kind and a reason, met: ${head}`);
    return lines.map((files) => ({ kind, files }));
  });
}

/** A file that we do not refuse is listed by its whole name. */
const covers = ({ kind, files }: Listed, [name, found]: readonly [string, string]): boolean =>
  kind === found &&
  (kind === REFUSED_BY_US && files.endsWith("*")
    ? name.startsWith(files.slice(0, -1))
    : name === files);

describe.skipIf(missing)(`DSS, pyHanko and we${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let dss: Validator<DssVerdict>;
  let pyHanko: Validator<PyHankoVerdict>;
  const found = new Map<string, string>();
  beforeAll(async () => {
    folder = temporaryFolder();
    [dss, pyHanko] = [openDss(), openPyHanko()];
    const stage = await createAttackStage();
    const root = stage.pki.root.certificates[0] as Uint8Array;
    const anchors = [folder.write("root.der", root)];
    const ask = async (name: string, pdf: string, bytes: Uint8Array): Promise<void> => {
      const question = { pdf, anchors, at: STAGE_LATER, revocation: "soft-fail" } as const;
      const [report, ofDss, ofPyHanko] = await Promise.all([
        validate(bytes, { evidence: trusting([root]), now: STAGE_LATER }),
        ENDLESS_FOR_DSS.has(name) ? null : dss.ask(question),
        pyHanko.ask(question),
      ]);
      const kind = difference(
        OURS[report.indication],
        ofDss === null ? "undecided" : worst(ofDss, dssStanding),
        worst(ofPyHanko, pyHankoStanding),
      );
      if (kind !== null) found.set(name, kind);
    };
    const answers: Promise<void>[] = [];
    for (const [name, make] of Object.entries(FILES)) {
      const bytes = await make(stage);
      answers.push(ask(name, folder.write(`${answers.length}.pdf`, bytes), bytes));
    }
    await Promise.all(answers);
  }, 20 * MINUTES);
  afterAll(() => {
    dss.close();
    pyHanko.close();
    folder.remove();
  });

  test("each difference between our verdict and theirs has its reason on record", () => {
    const listed = readDifferences();
    expect([...found].filter((one) => !listed.some((line) => covers(line, one)))).toEqual([]);
  });

  test("each difference on record still exists", () => {
    const all = [...found];
    expect(readDifferences().filter((line) => !all.some((one) => covers(line, one)))).toEqual([]);
  });
});
