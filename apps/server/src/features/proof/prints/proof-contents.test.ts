import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { Envelope, Print, Proof, ProofContent } from "@paraphe/contracts";
import type { ProofReport, ProofRequest } from "@paraphe/proof";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import type { TestBrowser } from "../../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { signAsGuest } from "../../../../testing/guest.ts";
import { signIn } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import {
  bytesAt,
  notOk,
  openProven,
  printOf,
  PRINTS,
  proofIn,
  type Proven,
  sealedBy,
  verifyProven,
} from "../../../../testing/proven-envelope.ts";
import { openSenderApp, type SenderApp } from "../../../../testing/sent-to-guest.ts";
import { storedHash, storedPath } from "../../../../testing/stored-file.ts";
import { openTestTsa, type TestTsa } from "../../../../testing/tsa-server.ts";
import { createTrust } from "../../trust/public.ts";
import { expireOverdue } from "../../envelopes/jobs.ts";
import { envelopeVerdict } from "./domain/verdicts.ts";
import { readRecord, validateRecord } from "./read-record.ts";

type Members = { -readonly [Name in keyof ProofContent]: ProofContent[Name] };
const OTHER = "2001-01-01T00:00:00.000Z";

let proven: Proven;

afterAll(() => proven.test.close());

const firstOf = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error("there is none");
  return first;
};

describe("a proof whose own members differ from its journal", () => {
  beforeAll(async () => {
    proven = await openProven();
  });

  /** Checks the proof as the service's own seal would sign it after this change. */
  async function checkedWith(
    change: (proof: Members) => void,
  ): Promise<Awaited<ReturnType<typeof verifyProven>>> {
    const { proof } = proofIn(proven.proof);
    change(proof);
    return verifyProven(proven, { proof: await sealedBy(proven.test, proof) });
  }

  test.each<[string, (proof: Members) => void]>([
    ["nobody who signs", (proof) => (proof.signers = [])],
    [
      "another way to a signer",
      (proof) =>
        (firstOf(proof.signers).reach = {
          by: "link",
          link: null,
          code: { channel: "sms", destination: null },
          confirmed: ["phone"],
        }),
    ],
    [
      "an address that is said to have answered",
      (proof) =>
        (firstOf(proof.signers).reach = {
          by: "account",
          link: null,
          code: null,
          confirmed: ["email", "phone"],
        }),
    ],
    [
      "another masked address",
      (proof) =>
        ((firstOf(proof.signers).reach?.code ?? { destination: "" }).destination =
          "x•••@exemple.fr"),
    ],
    ["another signer", (proof) => (firstOf(proof.signers).full_name = "Autre")],
    ["another time of signing", (proof) => (firstOf(proof.signers).signed_at = OTHER)],
    [
      "one more signer",
      (proof) =>
        (proof.signers = [
          ...proof.signers,
          { full_name: "Autre", signed: true, signed_at: OTHER },
        ]),
    ],
    ["a title", (proof) => (proof.title = "Autre")],
    ["an end", (proof) => (proof.completed_at = OTHER)],
    ["a cancellation", (proof) => (proof.cancelled = true)],
    ["a refusal", (proof) => (proof.declined = true)],
    ["an expiry", (proof) => (proof.expired = true)],
    ["no completion", (proof) => (proof.completed = false)],
    ["a purge", (proof) => Object.assign(proof, { purged: true, purged_at: OTHER })],
    ["a journal that is not intact", (proof) => (proof.chain = { ...proof.chain, intact: false })],
    ["more events", (proof) => (proof.chain = { ...proof.chain, count: 99 })],
    ["another print", (proof) => Object.assign(proof.print ?? {}, { id: proof.envelope })],
    [
      "another date of its print",
      (proof) => Object.assign(proof.print ?? {}, { created_at: OTHER }),
    ],
    ["another kind of print", (proof) => Object.assign(proof.print ?? {}, { qr_type: "last" })],
    ["a signature that is not valid", (proof) => (firstOf(proof.signatures).verdict = "invalid")],
    ["another time of a signature", (proof) => (firstOf(proof.signatures).signed_at = OTHER)],
    [
      "a signature twice",
      (proof) => (proof.signatures = [...proof.signatures, ...proof.signatures]),
    ],
    [
      "other fingerprints on its page",
      (proof) => (firstOf(proof.documents).hash_sha256 = "ab".repeat(32)),
    ],
    ["another fingerprint on top", (proof) => (proof.hash_sha256 = "ab".repeat(32))],
    ["another name of a file", (proof) => (firstOf(proof.files).name = "Autre.pdf")],
    ["another name of a document", (proof) => (firstOf(proof.documents).name = "Autre.pdf")],
  ])("a sealed proof that contradicts its journal is not believed: %s", async (_what, change) => {
    const report = await checkedWith(change);
    expect(report.verdict).toBe("invalid");
    expect(notOk(report).map(([name]) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(journal_facts|completion)$/)]),
    );
  });

  test.each<[string, (proof: Members) => void]>([
    [
      "indeterminate",
      (proof) => Object.assign(proof, { verdict: "indeterminate", reason: "Non." }),
    ],
    [
      "of a signature, indeterminate",
      (proof) => (firstOf(proof.signatures).verdict = "indeterminate"),
    ],
  ])("a proof with the service's verdict %s is not called valid", async (_what, change) => {
    expect((await checkedWith(change)).verdict).toBe("indeterminate");
  });

  test("a proof of an earlier format without refusals and expiries is believed", async () => {
    expect((await checkedWith((proof) => delete proof.declined)).verdict).toBe("valid");
    expect((await checkedWith((proof) => delete proof.expired)).verdict).toBe("valid");
  });
});

describe("what a proof shows on its cards", () => {
  beforeAll(async () => {
    proven = await openProven();
  });
  const cardOf = ({ certificate }: Members): NonNullable<ProofContent["certificate"]> => {
    if (certificate === null) throw new Error("the proof shows no certificate");
    return certificate;
  };

  /** Checks the proof as the service's own seal would sign it after this change. */
  async function checkedWith(
    change: (proof: Members) => void,
    request: Partial<ProofRequest> = {},
  ) {
    const { proof } = proofIn(proven.proof);
    change(proof);
    const report = await verifyProven(proven, {
      proof: await sealedBy(proven.test, proof),
      ...request,
    });
    return { ...report, cards: report.checks.find(({ name }) => name === "cards") };
  }

  test.each<[string, (proof: Members) => void, RegExp]>([
    ["name", (proof) => (cardOf(proof).subject.CN = "Autre"), /le nom du certificat/],
    ["organisation", (proof) => (cardOf(proof).subject.O = "Autre"), /le nom du certificat/],
    ["country", (proof) => (cardOf(proof).subject.C = "DE"), /le nom du certificat/],
    [
      "number",
      (proof) => (cardOf(proof).serial_number = "07"),
      /n’est pas celui de la dernière signature/,
    ],
    ["beginning", (proof) => (cardOf(proof).valid_from = OTHER), /les dates du certificat/],
    ["end", (proof) => (cardOf(proof).valid_to = OTHER), /les dates du certificat/],
    ["answer", (proof) => (cardOf(proof).revocation.ocsp_status = "revoked"), /la réponse OCSP/],
    [
      "answer that is gone",
      (proof) => Object.assign(cardOf(proof).revocation, { ocsp_status: null, ocsp_at: null }),
      /la réponse OCSP/,
    ],
    ["age of the answer", (proof) => (cardOf(proof).revocation.ocsp_at = OTHER), /la réponse OCSP/],
    [
      "list",
      (proof) => (cardOf(proof).revocation.crl_status = "revoked"),
      /la liste de révocation/,
    ],
    [
      "age of the list",
      (proof) => (cardOf(proof).revocation.crl_at = OTHER),
      /la liste de révocation/,
    ],
    [
      "address of the answers",
      (proof) => (cardOf(proof).revocation.ocsp_url = "https://autre.exemple"),
      /les adresses de révocation/,
    ],
    [
      "address of the list",
      (proof) => (cardOf(proof).revocation.crl_url = null),
      /les adresses de révocation/,
    ],
    [
      "time",
      (proof) => Object.assign(cardOf(proof).timestamp ?? {}, { time: OTHER }),
      /l’horodatage/,
    ],
    [
      "authority of the time",
      (proof) => Object.assign(cardOf(proof).timestamp ?? {}, { tsa: "Autre" }),
      /l’horodatage/,
    ],
    ["lack of a time", (proof) => (cardOf(proof).timestamp = null), /l’horodatage/],
    ["authority", (proof) => (cardOf(proof).issuers = ["Autre"]), /les autorités du certificat/],
    [
      "hash algorithm",
      (proof) => (cardOf(proof).hash_algorithm = "SHA-1"),
      /l’algorithme de hachage/,
    ],
    [
      "validity at the time",
      (proof) => (cardOf(proof).valid_at_signing = false),
      /la validité au moment de la signature/,
    ],
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
    [
      "number of pages",
      (proof) => (firstOf(proof.documents).page_count = 99),
      /le nombre de pages/,
    ],
    [
      "lack of pages",
      (proof) => (firstOf(proof.documents).page_count = null),
      /le nombre de pages/,
    ],
    ["size", (proof) => (firstOf(proof.files).size_bytes = 7), /la taille/],
  ])(
    "a sealed card is compared with the file and its certificates: another %s",
    async (_what, change, said) => {
      const { verdict, cards } = await checkedWith(change);
      expect([verdict, cards?.state, cards?.sentence]).toEqual([
        "invalid",
        "failed",
        expect.stringMatching(said),
      ]);
    },
  );

  test("a card is compared with the file's time-stamp authority", async () => {
    const report = await checkedWith((proof) => {
      for (const timestamp of [firstOf(proof.signatures).timestamp, cardOf(proof).timestamp])
        Object.assign(timestamp ?? {}, { tsa: "Autre" });
    });
    expect(notOk(report)).toEqual([["link", "failed"]]);
  });

  test("a card without the file is compared as far as the proof's certificates go", async () => {
    expect((await checkedWith(() => undefined, { files: [] })).cards).toMatchObject({
      state: "not_checked",
      sentence: expect.stringContaining("ne se vérifie qu’avec tous les PDF"),
    });
    expect(
      (await checkedWith((proof) => (cardOf(proof).subject.CN = "Autre"), { files: [] })).verdict,
    ).toBe("invalid");
    const unseen = await checkedWith((proof) => (firstOf(proof.documents).page_count = 99), {
      files: [],
    });
    expect([unseen.verdict, unseen.cards?.state]).toEqual(["indeterminate", "not_checked"]);
  });

  test("cards of several people and files verify, with one missing or withheld", async () => {
    const { test, owner, anybody } = proven;
    const files = ["Bail.pdf", "Annexe.pdf"].map((name, index) => ({
      name,
      bytes: makePdf({ pages: index + 1 }),
    }));
    const envelope = await createSent(owner, { files });
    for (const { email } of [PAUL, ELOISE]) await signAsGuest(test, envelope.id, email);
    await test.settle({ deferred: "run" });
    const print = await printOf(owner, envelope);
    const [proof, one, two] = [
      await bytesAt(anybody, print.proof_url),
      ...(await Promise.all(
        envelope.documents.map(({ id }) =>
          bytesAt(anybody, `${print.document_url}&document=${id}`),
        ),
      )),
    ];
    const brought = [one, two].map((bytes, index) => ({
      name: `${index}.pdf`,
      bytes: bytes ?? new Uint8Array(),
    }));
    expect(proofIn(proof).proof.documents.map(({ page_count }) => page_count)).toEqual([1, 2]);
    expect(notOk(await verifyProven(proven, { proof, files: brought }))).toEqual([]);
    expect(notOk(await verifyProven(proven, { proof, files: brought.slice(1) }))).toEqual([
      ["file", "not_checked"],
      ["cards", "not_checked"],
    ]);
    await expectStatus(
      owner.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, {
        body: { proof_only: true },
      }),
      200,
    );
    const alone = await bytesAt(anybody, print.proof_url);
    expect(proofIn(alone).proof.signatures.map(({ certificate }) => certificate)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(notOk(await verifyProven(proven, { proof: alone, files: brought }))).toEqual([]);
  });

  test("a purged envelope's proof has no card", async () => {
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
    expect(
      (await checkedWith((proof) => Object.assign(bare(proof), { level: "B-T" }))).cards?.state,
    ).toBe("failed");
  });
});

describe("a proof that strangers ask for", () => {
  let tsa: TestTsa;
  beforeAll(async () => {
    tsa = await openTestTsa();
    proven = await openProven({ settings: { tsaUrl: tsa.url } });
  });
  afterAll(async () => {
    await proven.test.close();
    await tsa.close();
  });

  /** These checks depend on the authority's times. */
  const OUTSIDE = ["stamp", "signatures", "checkpoint"];
  const read = async (browser = proven.anybody, address = proven.print.proof_url) =>
    (await browser.get(address)).text;
  /** Counts the authority's calls meanwhile. */
  async function askedBy<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly asked: number; readonly got: T }> {
    const before = tsa.asked();
    const got = await work();
    return { asked: tsa.asked() - before, got };
  }

  test("a proof with an outside time-stamp is valid with that authority's certificate or root", async () => {
    const [anchor = ""] = proofIn(proven.proof).proof.certificates.timestamp_anchors;
    for (const outside of [new Uint8Array(Buffer.from(anchor, "base64")), tsa.root]) {
      const report = await verifyProven(proven, { roots: [...proven.roots, outside] });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
      expect(report.checks.find(({ name }) => name === "stamp")?.sentence).toContain(
        "Horloge Tierce Horodatage",
      );
    }
  });

  test("a proof with an outside time-stamp proves no time with the service's root alone", async () => {
    const report = await verifyProven(proven);
    expect([report.verdict, notOk(report)]).toEqual([
      "indeterminate",
      OUTSIDE.map((name) => [name, "not_checked"]),
    ]);
    const [anchor = ""] = proofIn(proven.proof).proof.certificates.timestamp_anchors;
    const print = new X509Certificate(Buffer.from(anchor, "base64")).fingerprint256;
    for (const name of ["stamp", "checkpoint"])
      expect(report.checks.find((check) => check.name === name)?.sentence).toContain(
        `«\u00a0Horloge Tierce Horodatage\u00a0», que la preuve seule nomme (empreinte SHA-256 ${print})`,
      );
  });

  test("an outside authority's certificate alone vouches for nothing", async () => {
    const anchors = proofIn(proven.proof).proof.certificates.timestamp_anchors.map(
      (der) => new Uint8Array(Buffer.from(der, "base64")),
    );
    const report = await verifyProven(proven, { roots: [...anchors, tsa.root] });
    expect(report.verdict).toBe("indeterminate");
    expect(notOk(report)).toContainEqual(["root", "not_checked"]);
    expect(report.roots.map(({ name }) => name)).toEqual(["Paraphe Racine"]);
  });

  test("a proof is cached for five minutes, and the authority asked once", async () => {
    proven.test.platform.clock.advance({ minutes: 6 });
    const { asked, got } = await askedBy(() =>
      Promise.all(Array.from({ length: 8 }, () => read())),
    );
    expect([asked, new Set(got).size]).toEqual([1, 1]);
    proven.test.platform.clock.advance({ minutes: 4 });
    expect(await askedBy(() => read())).toEqual({ asked: 0, got: got[0] });
    proven.test.platform.clock.advance({ minutes: 2 });
    const next = await askedBy(() => read());
    expect([next.asked, next.got === got[0]]).toEqual([1, false]);
  });

  test("an owner's proof is another one, with more in it", async () => {
    const own = await read(proven.owner, `${PRINTS}${proven.print.id}/proof/`);
    expect(proofIn(Buffer.from(own)).proof.journal.disclosed).toBe("all");
    expect(proofIn(Buffer.from(await read())).proof.journal.disclosed).toBe("names");
  });

  test("a changed proof is made anew at once", async () => {
    await read();
    const { id } = proven.envelope;
    const address = `${ENVELOPES}${id}/public-page/`;
    const headers = { "content-type": "application/json" };
    await expectStatus(
      proven.owner.send("PUT", address, {
        body: JSON.stringify({ proof_only: true }),
        headers,
      }),
      200,
    );
    expect(proofIn(Buffer.from(await read())).proof).toMatchObject({
      proof_only: true,
      document_url: null,
    });
    const path = storedPath(
      proven.test.platform,
      await storedHash(proven.test.platform, proven.envelope.documents[0]?.id ?? ""),
    );
    writeFileSync(path, makePdf());
    expect(proofIn(Buffer.from(await read())).proof.verdict).toBe("invalid");
    writeFileSync(path, proven.pdf);
    expect(proofIn(Buffer.from(await read())).proof.verdict).toBe("valid");
  });

  test("a proof has no time-stamp while the authority is away, for a minute at least", async () => {
    tsa.behave({ away: true });
    const print = await printOf(proven.owner, proven.envelope);
    const first = await askedBy(() => read(proven.anybody, print.proof_url));
    expect([first.asked, proofIn(Buffer.from(first.got)).timestamp]).toEqual([1, null]);
    const report = await verifyProven(proven, {
      proof: Buffer.from(first.got),
      roots: [...proven.roots, tsa.root],
    });
    expect([report.verdict, notOk(report)]).toEqual(["indeterminate", [["stamp", "not_checked"]]]);
    expect((await askedBy(() => read(proven.anybody, print.proof_url))).asked).toBe(0);
    tsa.behave({});
    proven.test.platform.clock.advance({ seconds: 61 });
    expect(
      proofIn(Buffer.from(await read(proven.anybody, print.proof_url))).timestamp,
    ).not.toBeNull();
  });
});

describe("an envelope whose deadline has passed", () => {
  let envelope: Envelope;
  let print: Print;
  beforeAll(async () => {
    proven = await openProven();
    const { test, owner } = proven;
    const deadline_at = new Date(test.platform.clock().getTime() + 72 * 3_600_000).toISOString();
    envelope = await createSent(owner, { deadline_at });
    await signAsGuest(test, envelope.id, PAUL.email);
    await test.settle({ deferred: "run" });
    print = await printOf(owner, envelope);
    test.platform.clock.advance({ hours: 73 });
  });

  const pageOf = async (): Promise<Proof> =>
    (await proven.anybody.get(`${PRINTS}${print.id}/verify/?sig=${print.sig}`)).body;
  const offline = async (): Promise<ProofReport> => {
    const files = [{ name: "bail.pdf", bytes: await bytesAt(proven.anybody, print.document_url) }];
    return verifyProven(proven, { proof: await bytesAt(proven.anybody, print.proof_url), files });
  };
  const completionOf = ({ checks }: ProofReport) =>
    checks.find(({ name }) => name === "completion")?.sentence;
  const signedIn = (): Promise<TestBrowser> => signIn(proven.test, proven.member);
  const evidence = async (): Promise<string> => {
    const { bytes } = await (await signedIn()).get(`${ENVELOPES}${envelope.id}/evidence/`);
    return execFileSync("pdftotext", ["-", "-"], { input: bytes, encoding: "utf8" })
      .normalize("NFC")
      .replaceAll(/\s+/g, " ");
  };
  const OVER = "L’échéance est passée avant que tous aient signé";

  test("an overdue envelope may not be signed until its journal closes it", async () => {
    expect(await pageOf()).toMatchObject({
      verdict: "indeterminate",
      expired: false,
      reason: expect.stringContaining(OVER),
    });
    const report = await offline();
    expect([report.verdict, completionOf(report)]).toEqual([
      "indeterminate",
      "Quand la preuve a été faite, toutes les signatures demandées n’étaient pas réunies.",
    ]);
    expect(await evidence()).toMatch(/Échéance passée.*est en train d’être close/);
  });

  test("an expired envelope is expired on the page, in preuve.json and in the evidence file", async () => {
    await expireOverdue(proven.test.platform);
    const page = await pageOf();
    expect(page).toMatchObject({
      verdict: "indeterminate",
      completed: false,
      expired: true,
      declined: false,
    });
    expect(page.reason).toBe(`${OVER}\u00a0: cette enveloppe a expiré.`);
    expect(page.signers).toMatchObject([{ signed: true }, { signed: false }]);
    const report = await offline();
    expect(report.checks.filter(({ state }) => state === "failed")).toEqual([]);
    expect([report.verdict, completionOf(report)]).toEqual([
      "indeterminate",
      "L’enveloppe avait expiré avant que tous aient signé.",
    ]);
    const words = await evidence();
    expect(words).toContain("Enveloppe expirée");
    expect(words).not.toMatch(/En cours|sont encore attendues/);
  });

  test("an extended envelope is open again", async () => {
    await expectStatus((await signedIn()).post(`${ENVELOPES}${envelope.id}/extend/`, {}), 200);
    expect(await pageOf()).toMatchObject({
      verdict: "indeterminate",
      expired: false,
      reason: expect.stringContaining("encore attendue"),
    });
    expect((await offline()).checks.filter(({ state }) => state === "failed")).toEqual([]);
  });
});

describe("a signature made meanwhile", () => {
  let app: SenderApp;
  beforeAll(async () => {
    app = await openSenderApp();
  });
  afterAll(() => app.test.close());

  test("a record's log is read before its journal, which then has all that the log names", async () => {
    const query = vi.spyOn(pg.Client.prototype, "query");
    await readRecord(proven.test.platform.db, proven.envelope.id);
    const texts = query.mock.calls.map(([asked]) =>
      String((asked as { text?: string }).text ?? ""),
    );
    query.mockRestore();
    const placeOf = (table: string) => texts.findIndex((text) => text.includes(`from ${table}`));
    const places = ["transparency_checkpoints", "transparency_leaves", "audit_events"].map(placeOf);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  test("an envelope signed during its validation has the verdict of what was read", async () => {
    const { test, owner } = app;
    const { platform } = test;
    const { id } = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(test, id, PAUL.email);
    const read = await readRecord(platform.db, id);
    await signAsGuest(test, id, ELOISE.email);
    const documents = await validateRecord({ platform, trust: await createTrust(platform) }, read);
    const checked = documents.map((document) => document.checked);
    expect(checked).toMatchObject([{ expectedCount: 1, problems: [] }]);
    expect(envelopeVerdict(checked, 1)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
    });
  });
});
