import type { ProofContent } from "@paraphe/contracts";
import type { ProofRequest } from "@paraphe/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { bytesAt, notOk, openProven, printOf, type Proven, proofIn, sealedBy, verifyProven } from "../../../testing/proven-envelope.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

type Members = { -readonly [Name in keyof ProofContent]: ProofContent[Name] };
const OTHER = "2001-01-01T00:00:00.000Z";

const firstOf = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error("there is none");
  return first;
};
const cardOf = ({ certificate }: Members): NonNullable<ProofContent["certificate"]> => {
  if (certificate === null) throw new Error("the proof shows no certificate");
  return certificate;
};

/** The proof as the service's own seal would sign it after this change. */
async function checkedWith(change: (proof: Members) => void, request: Partial<ProofRequest> = {}) {
  const { proof } = proofIn(proven.proof);
  change(proof);
  const report = await verifyProven(proven, { proof: await sealedBy(proven.test, proof), ...request });
  return { ...report, cards: report.checks.find(({ name }) => name === "cards") };
}

describe("what a proof shows on its cards", () => {
  it.each<[string, (proof: Members) => void, RegExp]>([
    ["name", (proof) => (cardOf(proof).subject.CN = "Autre"), /le nom du certificat/],
    ["organisation", (proof) => (cardOf(proof).subject.O = "Autre"), /le nom du certificat/],
    ["country", (proof) => (cardOf(proof).subject.C = "DE"), /le nom du certificat/],
    ["number", (proof) => (cardOf(proof).serial_number = "07"), /n’est pas celui de la dernière signature/],
    ["beginning", (proof) => (cardOf(proof).valid_from = OTHER), /les dates du certificat/],
    ["end", (proof) => (cardOf(proof).valid_to = OTHER), /les dates du certificat/],
    ["answer", (proof) => (cardOf(proof).revocation.ocsp_status = "revoked"), /la réponse OCSP/],
    ["answer that is gone", (proof) => Object.assign(cardOf(proof).revocation, { ocsp_status: null, ocsp_at: null }), /la réponse OCSP/],
    ["age of the answer", (proof) => (cardOf(proof).revocation.ocsp_at = OTHER), /la réponse OCSP/],
    ["list", (proof) => (cardOf(proof).revocation.crl_status = "revoked"), /la liste de révocation/],
    ["age of the list", (proof) => (cardOf(proof).revocation.crl_at = OTHER), /la liste de révocation/],
    ["address of the answers", (proof) => (cardOf(proof).revocation.ocsp_url = "https://autre.exemple"), /les adresses de révocation/],
    ["address of the list", (proof) => (cardOf(proof).revocation.crl_url = null), /les adresses de révocation/],
    ["time", (proof) => Object.assign(cardOf(proof).timestamp ?? {}, { time: OTHER }), /l’horodatage/],
    ["authority of the time", (proof) => Object.assign(cardOf(proof).timestamp ?? {}, { tsa: "Autre" }), /l’horodatage/],
    ["lack of a time", (proof) => (cardOf(proof).timestamp = null), /l’horodatage/],
    ["authority", (proof) => (cardOf(proof).issuers = ["Autre"]), /les autorités du certificat/],
    ["hash algorithm", (proof) => (cardOf(proof).hash_algorithm = "SHA-1"), /l’algorithme de hachage/],
    ["validity at the time", (proof) => (cardOf(proof).valid_at_signing = false), /la validité au moment de la signature/],
    ["lack of a certificate", (proof) => (proof.certificate = null), /le certificat, qui manque/],
    ["level", (proof) => (proof.level = "B-T"), /le niveau/],
    ["lack of a level", (proof) => (proof.level = null), /le niveau/],
    [
      "level of each signature",
      (proof) => {
        proof.level = "B-B";
        firstOf(proof.signatures).level = "B-B";
      },
      /le niveau de la signature de «\u00a0Paul Morel\u00a0»/,
    ],
    ["integrity", (proof) => (proof.integrity = false), /l’intégrité/],
    ["number of pages", (proof) => (firstOf(proof.documents).page_count = 99), /le nombre de pages/],
    ["lack of pages", (proof) => (firstOf(proof.documents).page_count = null), /le nombre de pages/],
    ["size", (proof) => (firstOf(proof.files).size_bytes = 7), /la taille/],
  ])("is held against the file and its certificates, though the seal signed it: another %s", async (_what, change, said) => {
    const { verdict, cards } = await checkedWith(change);
    expect([verdict, cards?.state, cards?.sentence]).toEqual(["invalid", "failed", expect.stringMatching(said)]);
  });

  it("is held against what the file says of the time's authority, of each signature", async () => {
    const report = await checkedWith((proof) => {
      for (const timestamp of [firstOf(proof.signatures).timestamp, cardOf(proof).timestamp])
        Object.assign(timestamp ?? {}, { tsa: "Autre" });
    });
    expect(notOk(report)).toEqual([["link", "failed"]]);
  });

  it("is held, without the file, as far as the certificates that the proof brings go, and said to be held no further", async () => {
    expect((await checkedWith(() => undefined, { files: [] })).cards).toMatchObject({
      state: "not_checked",
      sentence: expect.stringContaining("ne se vérifie qu’avec tous les PDF"),
    });
    expect((await checkedWith((proof) => (cardOf(proof).subject.CN = "Autre"), { files: [] })).verdict).toBe("invalid");
    const unseen = await checkedWith((proof) => (firstOf(proof.documents).page_count = 99), { files: [] });
    expect([unseen.verdict, unseen.cards?.state]).toEqual(["indeterminate", "not_checked"]);
  });

  it("holds of several people and files, of which one may be missing, and of one shown by its proof alone", async () => {
    const { test, owner, anybody } = proven;
    const files = ["Bail.pdf", "Annexe.pdf"].map((name, index) => ({ name, bytes: makePdf({ pages: index + 1 }) }));
    const envelope = await createSent(owner, { files });
    for (const { email } of [PAUL, ELOISE]) await signAsGuest(test, envelope.id, email);
    await test.settle({ deferred: "run" });
    const print = await printOf(owner, envelope);
    const [proof, one, two] = [
      await bytesAt(anybody, print.proof_url),
      ...(await Promise.all(envelope.documents.map(({ id }) => bytesAt(anybody, `${print.document_url}&document=${id}`)))),
    ];
    const brought = [one, two].map((bytes, index) => ({ name: `${index}.pdf`, bytes: bytes ?? new Uint8Array() }));
    expect(proofIn(proof).proof.documents.map(({ page_count }) => page_count)).toEqual([1, 2]);
    expect(notOk(await verifyProven(proven, { proof, files: brought }))).toEqual([]);
    expect(notOk(await verifyProven(proven, { proof, files: brought.slice(1) }))).toEqual([
      ["file", "not_checked"],
      ["cards", "not_checked"],
    ]);
    expect((await owner.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, { body: { proof_only: true } })).status).toBe(200);
    const alone = await bytesAt(anybody, print.proof_url);
    expect(proofIn(alone).proof.signatures.map(({ certificate }) => certificate)).toEqual([null, null, null, null]);
    expect(notOk(await verifyProven(proven, { proof: alone, files: brought }))).toEqual([]);
  });

  it("is nothing of a purged envelope, and fails where there is something", async () => {
    const bare = (proof: Members) =>
      Object.assign(proof, {
        purged: true,
        certificate: null,
        integrity: false,
        level: null,
        signatures: [],
        documents: proof.documents.map((document) => ({ ...document, page_count: null })),
      });
    expect((await checkedWith(bare)).cards?.state).toBe("ok");
    expect((await checkedWith((proof) => Object.assign(bare(proof), { level: "B-T" }))).cards?.state).toBe("failed");
  });
});
