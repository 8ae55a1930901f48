import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveWith } from "../testing/archive.ts";
import { type AttackStage, createAttackStage } from "../testing/attack-stage.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { smallPdf } from "../testing/small-pdf.ts";
import { type TestPki, createTestPki } from "../testing/test-pki.ts";
import {
  type Expected,
  dssComplaints,
  harmedSignatures,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "./complaints.ts";
import { LIFE, type Life, liveWithMany, liveWithTwo } from "./signing-rounds.ts";
import { type Folder, missingTool, temporaryFolder } from "./tool.ts";
import {
  type DssVerdict,
  type Validator,
  type PyHankoVerdict,
  unavailableValidators,
  openDss,
  openPyHanko,
} from "./validators.ts";

const missing = missingTool("qpdf") || missingTool("pdfsig") || unavailableValidators();
const MINUTES = 60_000;

let folder: Folder;
let pki: TestPki;
let root: string;
let validators: { dss: Validator<DssVerdict>; pyHanko: Validator<PyHankoVerdict> };

beforeAll(async () => {
  if (missing) return;
  folder = temporaryFolder();
  pki = await createTestPki();
  root = folder.write("root.der", pki.root.certificates[0] as Uint8Array);
  validators = { dss: openDss(), pyHanko: openPyHanko() };
});
afterAll(() => {
  if (missing) return;
  validators.dss.close();
  validators.pyHanko.close();
  folder.remove();
});

/** Gives everything that the four validators report against a file. */
async function complaints(
  name: string,
  bytes: Uint8Array,
  { at, ...expected }: Expected & { at: Date },
) {
  const pdf = folder.write(`${name}.pdf`, bytes);
  const question = { pdf, anchors: [root], at };
  const [dss, pyHanko, pdfsig, qpdf] = await Promise.all([
    validators.dss.ask(question),
    validators.pyHanko.ask(question),
    pdfsigComplaints(pdf, expected),
    qpdfComplaints(pdf),
  ]);
  return {
    dss: dssComplaints(dss, expected),
    pyHanko: pyHankoComplaints(pyHanko, expected),
    pdfsig,
    qpdf,
  };
}
const NONE = { dss: [], pyHanko: [], pdfsig: [], qpdf: [] };

/** Validates it when it is archived. */
const expectArchived = async (name: string, { archived }: Life, signatures: number) =>
  expect(
    await complaints(`${name}-archived`, archived, {
      signatures,
      timestamps: 1,
      at: LIFE.archived,
    }),
  ).toEqual(NONE);

/** Validates it two years later, once it has been renewed. */
const expectRenewed = async (name: string, { renewed }: Life, signatures: number) =>
  expect(
    await complaints(`${name}-renewed`, renewed, { signatures, timestamps: 2, at: LIFE.validated }),
  ).toEqual(NONE);

async function expectNoComplaint(name: string, life: Life, signatures: number): Promise<void> {
  await expectArchived(name, life, signatures);
  await expectRenewed(name, life, signatures);
}

/** Two people sign a certified file, with every kind of field. */
async function signCertified(stage: AttackStage, bytes: Uint8Array): Promise<Uint8Array> {
  const step = (ownerKey: string, signer: AttackStage["alice"]) => ({
    ownerKey,
    signer,
    tsa: stage.pki.tsa,
  });
  return signAs(
    await signAs(await prepareAll(bytes), step("alice", stage.alice)),
    step("bob", stage.bob),
  );
}

describe.skipIf(missing)(`DSS, pyHanko, pdfsig and qpdf${missing ? ` (${missing})` : ""}`, () => {
  test.each([1, 2, 3])(
    "DSS, pyHanko, pdfsig and qpdf pass each of %i signatures at PAdES-BASELINE-LTA",
    async (count) => {
      await expectNoComplaint(
        `signers-${count}`,
        await liveWithMany(pki, smallPdf(), { count }),
        count,
      );
    },
    3 * MINUTES,
  );

  test(
    "DSS, pyHanko, pdfsig and qpdf pass twenty signatures, archived and renewed",
    async () => {
      // `whole-service.test.ts` has the validators see twenty once archived: each costs them
      // seconds.
      await expectRenewed("signers-20", await liveWithMany(pki, smallPdf(), { count: 20 }), 20);
    },
    3 * MINUTES,
  );

  test(
    "the validators pass every document of an envelope",
    async () => {
      const documents = [
        smallPdf(),
        smallPdf({ rotate: 90 }),
        smallPdf({ cropBox: "20 30 500 700.137", userUnit: 1.5 }),
      ];
      for (const [index, document] of documents.entries())
        await expectNoComplaint(`document-${index}`, await liveWithTwo(pki, document), 2);
    },
    3 * MINUTES,
  );

  test(
    "the validators pass our signatures and the earlier ones in a file that others signed and archived",
    async () => {
      const others = await createTestPki("Autre Service");
      const { archived: theirs } = await liveWithMany(others, smallPdf(), {
        count: 2,
        namePrefix: "env-0190",
      });
      const { renewed } = await liveWithTwo(pki, theirs);
      const anchors = [root, folder.write("others.der", others.root.certificates[0] as Uint8Array)];
      const [before, after] = [
        folder.write("theirs.pdf", theirs),
        folder.write("both.pdf", renewed),
      ];
      const expected = { signatures: 4, timestamps: 3, prefix: "env-019" };
      const dss = await validators.dss.ask({ pdf: after, anchors, at: LIFE.validated });
      const pyHanko = await validators.pyHanko.ask({ pdf: after, anchors, at: LIFE.validated });
      expect(dssComplaints(dss, expected)).toEqual([]);
      // Two years later, only the other maker could say that its authority's certificate is not
      // revoked.
      const theirTimestamp = /^horodatage_1: .*TRY_LATER/;
      expect(
        pyHankoComplaints(pyHanko, expected).filter((complaint) => !theirTimestamp.test(complaint)),
      ).toEqual([]);
      expect(await pdfsigComplaints(after, expected)).toEqual([]);
      const dssBefore = await validators.dss.ask({ pdf: before, anchors, at: LIFE.archived });
      expect(
        harmedSignatures(dssBefore, dss, ({ indication, format }) => `${indication} ${format}`),
      ).toEqual([]);
    },
    3 * MINUTES,
  );

  test.each(["certified", "certifiedForNotes"] as const)(
    "the validators pass a certified file and its certification (%s)",
    async (which) => {
      const stage = await createAttackStage();
      const archived = await archiveWith(
        stage.pki,
        await signCertified(stage, stage[which]),
        LIFE.archived,
      );
      const anchors = [folder.write(`${which}.der`, stage.pki.root.certificates[0] as Uint8Array)];
      const after = folder.write(`${which}-signed.pdf`, archived);
      const expected = { signatures: 2, timestamps: 1 };
      const dss = await validators.dss.ask({ pdf: after, anchors, at: LIFE.archived });
      const pyHanko = await validators.pyHanko.ask({ pdf: after, anchors, at: LIFE.archived });
      expect([...dssComplaints(dss, expected), ...pyHankoComplaints(pyHanko, expected)]).toEqual(
        [],
      );
      expect([
        ...(await pdfsigComplaints(after, expected)),
        ...(await qpdfComplaints(after)),
      ]).toEqual([]);
      expect(pyHanko.signatures?.[0]).toMatchObject({
        field: "libre",
        bottom_line: true,
        docmdp_ok: true,
      });
      expect(dss.signatures?.[0]).toMatchObject({
        field: "libre",
        indication: "TOTAL_PASSED",
        annotation_changes: [],
        undefined_changes: [],
      });
    },
    3 * MINUTES,
  );

  test(
    "the validators refuse a file whose revision was altered after signing",
    async () => {
      const { archived } = await liveWithTwo(pki, smallPdf());
      const altered = archived.slice();
      altered.set(
        new TextEncoder().encode("Contrad"),
        new TextDecoder("latin1").decode(altered).indexOf("Contrat"),
      );
      const found = await complaints("altered", altered, {
        signatures: 2,
        timestamps: 1,
        at: LIFE.archived,
      });
      expect(found.dss.join()).toContain("TOTAL_FAILED");
      expect(found.pyHanko).not.toEqual([]);
      expect(found.pdfsig).not.toEqual([]);
    },
    3 * MINUTES,
  );
});
