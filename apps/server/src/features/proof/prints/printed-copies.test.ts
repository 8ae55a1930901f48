import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Envelope, Print, ProofFile } from "@paraphe/contracts";
import { parseCertificate, type Signer } from "@paraphe/pades";
import { readStatement, verifyOffline, verifyStatement } from "@paraphe/proof";
import { readLoggedProof } from "@paraphe/proof/logged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { openProven, type Proven } from "../../../../testing/proven-envelope.ts";
import { missingRenderer, type Picture, renderPage } from "../../../../testing/render-pdf.ts";
import { testSandbox } from "../../../../testing/platform.ts";
import { cropPicture, readCodes, scanPicture } from "../../../../testing/scan-picture.ts";
import { createTrust } from "../../trust/public.ts";
import type { AddedPage } from "./domain/lay-out.ts";
import { drawCodes, printCopy, signPageAddress } from "./make-printable.ts";

const missing = missingRenderer();

const CORPUS = fileURLToPath(new URL("../../../../../../../shared/corpus", import.meta.url));
const ADDRESS = `https://sign.exemple.fr/verify/019aa000-0000-7000-8000-00000000abcd?sig=${"aB3-_".repeat(9).slice(0, 43)}#${"Zz9_-".repeat(25).slice(0, 122)}`;
const ADDED: AddedPage = {
  width: 595.28,
  height: 841.89,
  codes: [],
  texts: [{ lines: ["Page de preuve"], frame: { x: 60, y: 60, width: 300, height: 30 }, size: 20 }],
};

const addressOf = (pageNumber: number) =>
  ADDRESS.slice(0, -1) + String.fromCharCode(65 + (pageNumber % 26));

/** Copies a file with a code on each of its first pages. */
async function copy(
  bytes: Uint8Array,
  { most = 3 } = {},
): Promise<{ readonly source: Uint8Array; readonly made: Uint8Array; readonly count: number }> {
  let source = bytes;
  let seen = await testSandbox.call("inspect", source);
  if (seen.result !== "ok") {
    source = await testSandbox.call("normalise", source);
    seen = await testSandbox.call("inspect", source);
  }
  const shown = seen.pages.slice(0, most);
  const codes = await drawCodes(
    testSandbox,
    shown.map((_, index) => addressOf(index + 1)),
  );
  const made = await printCopy(testSandbox, source, {
    title: "Copie à imprimer",
    pages: shown.map(({ width, height }, index) => ({
      pageNumber: index + 1,
      width,
      height,
      code: codes[index] ?? null,
    })),
    captions: { domain: "sign.exemple.fr", pageCount: seen.pageCount },
    addsPage: false,
    addedPage: async () => ADDED,
  });
  return { source, made, count: shown.length };
}

const isPaper = ({ pixels }: Picture, index: number) =>
  [0, 1, 2].every((channel) => (pixels[index * 3 + channel] ?? 0) >= 245);
const inkOf = (picture: Picture) =>
  Array.from({ length: picture.width * picture.height }, (_, index) => !isPaper(picture, index));

/** Counts pixels of ink that look different, and pixels of paper that have ink now. */
function compare(
  before: Picture,
  after: Picture,
): { readonly covered: number; readonly added: number } {
  const found = { covered: 0, added: 0 };
  const isOther = (at: number) => Math.abs((before.pixels[at] ?? 0) - (after.pixels[at] ?? 0)) > 24;
  for (let index = 0, at = 0; index < before.width * before.height; index += 1, at += 3) {
    if (!isOther(at) && !isOther(at + 1) && !isOther(at + 2)) continue;
    if (isPaper(before, index)) found.added += 1;
    else found.covered += 1;
  }
  return found;
}

/** The box of a picture's ink, in fractions of the page. */
function boxOfInk(picture: Picture): readonly [number, number, number, number] {
  const ink = inkOf(picture).flatMap((has, index) => (has ? [index] : []));
  const columns = ink.map((index) => index % picture.width);
  const rows = ink.map((index) => Math.floor(index / picture.width));
  const of = (values: readonly number[], pick: (a: number, b: number) => number) =>
    values.reduce((best, value) => pick(best, value));
  return [
    of(columns, Math.min) / picture.width,
    of(rows, Math.min) / picture.height,
    of(columns, Math.max) / picture.width,
    of(rows, Math.max) / picture.height,
  ];
}

/** Counts the clipped pages, which were made smaller, among those read. */
const clipsOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("latin1")
    .match(/ cm [-\d. ]+ re W n/g)?.length ?? 0;

describe.skipIf(missing || !existsSync(CORPUS))(
  "a copy to print of each file of the corpus",
  () => {
    const filesOf = (folder: string) =>
      existsSync(`${CORPUS}/${folder}`)
        ? readdirSync(`${CORPUS}/${folder}`).map((name) => `${folder}/${name}`)
        : [];
    const others = filesOf("public").filter((_, index) => index % 4 === 0);
    test.each([...filesOf("made"), ...others].filter((name) => !name.includes("pages1000")))(
      "%s is printed with a readable code that covers nothing",
      async (name) => {
        const bytes = new Uint8Array(readFileSync(`${CORPUS}/${name}`));
        const result = await copy(bytes, { most: 2 }).catch((error: unknown) => error);
        // A file that the service refuses is not printed either.
        if (result instanceof Error)
          return expect(["PadesError", "SandboxLimitError"]).toContain(result.name);
        const { source, made, count } = result as Awaited<ReturnType<typeof copy>>;
        expect(Buffer.from(made).includes("/ByteRange")).toBe(false);
        for (let page = 1; page <= count; page += 1) {
          const [before, after] = [renderPage(source, page, 72), renderPage(made, page, 72)];
          expect([after.width, after.height]).toEqual([before.width, before.height]);
          if (clipsOf(made) !== clipsOf(source)) continue;
          // The bottom right quarter of most pages is read first, as some files have codes of their
          // own.
          const readIn = async (picture: Picture) =>
            (await readCodes(picture)).find(({ text }) => text === addressOf(page));
          const [width, height] = [
            Math.round((after.width * 100) / 72),
            Math.round((after.height * 100) / 72),
          ];
          const quarter = renderPage(made, page, 200, {
            x: width,
            y: height,
            width: width + 3,
            height: height + 3,
          });
          const code = (await readIn(quarter)) ?? (await readIn(renderPage(made, page, 200)));
          const { covered, added } = compare(before, after);
          expect({ covered, hasCode: added > 2_000 }).toEqual({
            covered: 0,
            hasCode: code?.ecLevel === "Q",
          });
        }
      },
    );
  },
);

describe.skipIf(missing)("a copy to print", () => {
  const DRAWN = "0 0 0 rg 40 40 515 762 re f";
  const full = () => makePdf({ pageExtra: "" });

  test("a full page is shrunk, and cropped content stays hidden", async () => {
    const bytes = withContent(full(), DRAWN);
    const { made } = await copy(bytes);
    const [left, top, right, bottom] = boxOfInk(
      cropPicture(renderPage(made, 1, 72), { x: 0, y: 0, width: 595, height: 740 }),
    );
    expect([left, top, right].map((value) => Math.round(value * 100))).toEqual([11, 5, 89]);
    expect(bottom).toBeGreaterThan(0.9);
    expect((await readCodes(renderPage(made, 1, 150)))[0]?.text).toBe(addressOf(1));
  });

  test.each([
    "/Rotate 90",
    "/Rotate 180",
    "/Rotate 270",
    "/UserUnit 2",
    "/CropBox[60 100 560 800]/Rotate 270/UserUnit 1.5",
    "/CropBox[-50 -50 700 900]/Rotate -90",
  ])("a code is upright and off the text on a page with %s", async (pageExtra) => {
    const { source, made } = await copy(makePdf({ pageExtra }));
    const [before, after] = [renderPage(source, 1, 72), renderPage(made, 1, 72)];
    expect([after.width, after.height]).toEqual([before.width, before.height]);
    expect(compare(before, after).covered).toBe(0);
    // The code stands in the bottom right corner of the displayed page.
    const [width, height] = [2 * before.width, 2 * before.height];
    const corner = renderPage(made, 1, 288, { x: width, y: height, width, height });
    expect(await readCodes(corner)).toEqual([{ text: addressOf(1), ecLevel: "Q" }]);
  });

  test("every page of a long document is marked, over several tasks", async () => {
    const { made } = await copy(makePdf({ pages: 405 }), { most: 405 });
    expect(await testSandbox.call("inspect", made)).toMatchObject({
      pageCount: 405,
      result: "ok",
    });
    for (const page of [1, 400, 401, 405])
      expect((await readCodes(renderPage(made, page, 150)))[0]?.text).toBe(addressOf(page));
  });

  test("a page too small for its code is followed by an added one", async () => {
    const { made } = await copy(makePdf({ width: 200, height: 120 }));
    expect(boxOfInk(renderPage(made, 2, 72))[0]).toBeCloseTo(60 / 595, 1);
    expect(await readCodes(renderPage(made, 1, 200))).toEqual([]);
  });

  /** Everything but the foot of this page is taken, so the least room is made. */
  async function printSmallest(): Promise<Picture> {
    const { made } = await copy(withContent(full(), DRAWN));
    return renderPage(made, 1, 600, { x: 3_000, y: 5_900, width: 2_000, height: 1_200 });
  }
  let smallest: Promise<Picture> | null = null;

  test.each([
    { dpi: 150, degrees: 0, blur: 0, noise: 0 },
    { dpi: 150, degrees: 2, blur: 0, noise: 20 },
    { dpi: 150, degrees: -3.3, blur: 0.3, noise: 30 },
    { dpi: 200, degrees: 7, blur: 1, noise: 40 },
  ])(
    "the smallest code is read at $dpi dpi, turned by $degrees°, blurred by $blur, noise $noise",
    async (scan) => {
      smallest ??= printSmallest();
      expect(await readCodes(scanPicture(await smallest, 600, scan))).toEqual([
        { text: addressOf(1), ecLevel: "Q" },
      ]);
    },
  );
});

/** The same small file with another content on its page. */
function withContent(bytes: Uint8Array, content: string): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const [whole = "", before = ""] = /(<<\/Length )\d+>>\nstream\n[^]*?\nendstream/.exec(text) ?? [];
  const room = whole.length - `${before}0000>>\nstream\n\nendstream`.length;
  const replaced = `${before}${String(room).padStart(4, "0")}>>\nstream\n${content.padEnd(room)}\nendstream`;
  return new Uint8Array(Buffer.from(text.replace(whole, replaced), "latin1"));
}

describe("the address of a printed page, without the service", () => {
  let proven: Proven;
  beforeAll(async () => {
    proven = await openProven();
  });
  afterAll(() => proven.test.close());

  const sealOf = async () => (await createTrust(proven.test.platform)).seal;
  const printed = async (
    seal: Signer,
    sha256 = createHash("sha256").update(proven.pdf).digest(),
    [page, pages] = [2, 3],
  ) =>
    signPageAddress(
      seal,
      {
        printId: proven.print.id,
        address: `https://localhost:8443/verify/${proven.print.id}?sig=x`,
        sha256,
        pageCount: pages,
        madeAt: new Date("2026-11-22T10:00:00Z"),
      },
      page,
    );
  const check = (address: string, more: { proof?: null; files?: []; roots?: [] } = {}) =>
    verifyOffline({
      proof: proven.proof,
      files: [{ name: "contrat.pdf", bytes: proven.pdf }],
      roots: proven.roots,
      address,
      now: proven.test.platform.clock(),
      ...more,
    });
  const ofPaper = ({ checks }: Awaited<ReturnType<typeof check>>) =>
    checks.filter(({ name }) => name === "statement" || name === "paper").map(({ state }) => state);

  test("a printed address is signed by the seal and names the PDF", async () => {
    const report = await check(await printed(await sealOf()));
    expect([report.verdict, ofPaper(report)]).toEqual(["valid", ["ok", "ok"]]);
    expect(report.checks.at(-2)?.sentence).toContain(
      "Le QR code parle de la page 2 sur 3, copie faite le 22\u00a0novembre 2026",
    );
    const added = async (pages: number) =>
      (await check(await printed(await sealOf(), undefined, [0, pages]))).checks.at(-2)?.sentence;
    expect(await added(1)).toContain(
      "Le QR code parle d’une page ajoutée à un document d’une page, copie faite le 22\u00a0novembre 2026",
    );
    expect(await added(2)).toContain(
      "Le QR code parle d’une page ajoutée à un document de 2\u00a0pages, copie faite",
    );
  });

  test("a printed address of another service or file fails", async () => {
    const other = await createTestApp();
    const forged = await printed((await createTrust(other.platform)).seal);
    await other.close();
    const seal = await sealOf();
    // A statement that the service did not sign confirms no file.
    expect(ofPaper(await check(forged))).toEqual(["failed", "not_checked"]);
    const ofAnother = await check(
      await printed(seal, createHash("sha256").update("autre").digest()),
    );
    expect([ofAnother.verdict, ofPaper(ofAnother)]).toEqual(["invalid", ["ok", "failed"]]);
  });

  test("a partly read or altered fragment proves nothing and accuses nobody", async () => {
    const address = await printed(await sealOf());
    for (const unread of [
      address.slice(0, -1),
      address.slice(0, -20),
      address.replace("#", "#abc#"),
      address.replace(/#.*/, "#abc"),
    ]) {
      const report = await check(unread);
      expect([unread, report.verdict, ofPaper(report)]).toEqual([
        unread,
        "indeterminate",
        ["not_checked"],
      ]);
    }
  });

  test("an address copied from the public page proves nothing, and may lead elsewhere", async () => {
    const [page = ""] = (await printed(await sealOf())).split("#");
    for (const own of [page, page.replace("https://", ""), page.split("?")[0] ?? ""])
      for (const more of [{}, { proof: null }]) {
        const report = await check(own, more);
        expect([own, report.verdict, ofPaper(report)]).toEqual([
          own,
          "indeterminate",
          ["not_checked", "not_checked"],
        ]);
        expect(report.checks.at(-2)?.sentence).toContain(
          "Cette adresse est celle de la page publique d’un document",
        );
      }
    const elsewhere = await check(page.replace("localhost:8443", "evil.example"));
    expect([elsewhere.verdict, ofPaper(elsewhere)]).toEqual(["invalid", ["failed", "not_checked"]]);
    expect((await check("https://localhost:8443/verify/")).checks.at(-1)?.sentence).toContain(
      "Cette adresse est incomplète",
    );
  });

  test("an address that leads elsewhere fails, whatever true statement it ends with", async () => {
    const address = await printed(await sealOf());
    const [page = "", fragment = ""] = address.split("#");
    const { id } = proven.print;
    const stray = [
      page.replace("localhost:8443", "evil.example"),
      `https://evil.example/${id}/verify/${proven.envelope.id}`,
      page.replace("https:", "http:"),
      page.replace("/verify/", "/verify/../x/"),
      page.replace("localhost:8443", "localhost:8443@evil.example"),
      `evil.example/verify/${id}`,
    ];
    for (const place of stray) {
      const report = await check(`${place}#${fragment}`);
      expect([place, report.verdict, ofPaper(report)]).toEqual([
        place,
        "invalid",
        ["failed", "not_checked"],
      ]);
    }
    const named = (await check(`${stray[0]}#${fragment}`)).checks.find(
      ({ name }) => name === "statement",
    );
    expect(named?.sentence).toContain("mène à «\u00a0evil.example/verify/");
    // Some readers of codes leave the scheme out.
    expect((await check(address.replace("https://", ""))).verdict).toBe("valid");
  });

  test("an address without a given root has no known signer", async () => {
    const report = await check(await printed(await sealOf()), { roots: [] });
    expect([report.verdict, ofPaper(report)]).toEqual([
      "indeterminate",
      ["not_checked", "not_checked"],
    ]);
    expect(report.checks.at(-2)?.sentence).toMatch(
      /^Si la racine est bien celle du service\u00a0: le QR code parle/,
    );
  });

  test("an address without a proof is not valid, and what is missing is named", async () => {
    const address = await printed(await sealOf());
    const alone = await check(address, { proof: null });
    expect([alone.verdict, ofPaper(alone)]).toEqual([
      "indeterminate",
      ["not_checked", "not_checked"],
    ]);
    expect(ofPaper(await check(address, { proof: null, files: [] }))).toEqual([
      "not_checked",
      "not_checked",
    ]);
  });

  test("a PDF alone has its own signatures' verdict, and no valid one", async () => {
    const now = proven.test.platform.clock();
    const alone = (bytes: Uint8Array, roots: readonly Uint8Array[] = []) =>
      verifyOffline({
        proof: null,
        files: [{ name: "contrat.pdf", bytes }],
        roots,
        address: null,
        now,
      });
    const of = ({ checks }: Awaited<ReturnType<typeof alone>>) =>
      checks.map(({ name, state }) => `${name} ${state}`);

    const unvouched = await alone(proven.pdf);
    expect([unvouched.verdict, of(unvouched)]).toEqual([
      "indeterminate",
      ["form not_checked", "signatures not_checked"],
    ]);
    expect(unvouched.stated.map(({ name }) => name)).toEqual(["Paul Morel"]);
    const rooted = await alone(proven.pdf, proven.roots);
    expect([rooted.verdict, of(rooted)]).toEqual([
      "indeterminate",
      ["form not_checked", "root ok", "signatures ok"],
    ]);
    const altered = await alone(proven.pdf.with(700, (proven.pdf[700] ?? 0) ^ 1), proven.roots);
    expect([altered.verdict, of(altered)]).toEqual([
      "invalid",
      ["form not_checked", "signatures failed"],
    ]);
    const unsigned = await alone(makePdf());
    expect([unsigned.verdict, unsigned.stated]).toEqual(["indeterminate", []]);
    expect(unsigned.checks.at(-1)?.sentence).toContain("ne porte aucune signature électronique");
    expect(
      (await alone(new TextEncoder().encode("%PDF-1.7 coupé"))).checks.at(-1)?.sentence,
    ).toContain("n’a pu être lue dans ce PDF");
    const locked = new TextDecoder("latin1")
      .decode(makePdf())
      .replace("/Root", "/Encrypt<</Filter/Adobe.PubSec>>/Root");
    const [said] = (await alone(Buffer.from(locked, "latin1"))).checks.slice(-1);
    expect([said?.state, said?.sentence]).toEqual([
      "not_checked",
      expect.stringContaining("chiffré pour des destinataires précis"),
    ]);
  });
});

describe("a proof compared with the transparency log", () => {
  let proven: Proven;
  beforeAll(async () => {
    proven = await openProven();
  });
  afterAll(() => proven.test.close());
  const changed = (change: (file: ProofFile) => void) => {
    const file = JSON.parse(new TextDecoder().decode(proven.proof)) as ProofFile;
    change(file);
    return new TextEncoder().encode(JSON.stringify(file, null, 2));
  };

  test("a proof names its files covered by the log", () => {
    const hash = createHash("sha256").update(proven.pdf).digest("hex");
    expect(readLoggedProof(proven.proof)).toMatchObject({ state: "covered", files: [hash] });
  });

  test("a changed event, entry or fingerprint is not covered by the log", () => {
    const state = (change: (file: ProofFile) => void) => readLoggedProof(changed(change)).state;
    expect(
      state(({ proof }) => Object.assign(proof.journal.events[1] ?? {}, { actor: "user:0" })),
    ).toBe("broken");
    expect(
      state(({ proof }) => Object.assign(proof.inclusion?.entry ?? {}, { head: "0".repeat(64) })),
    ).toBe("broken");
    expect(state(({ proof }) => Object.assign(proof, { inclusion: null }))).toBe("uncovered");
    expect(
      readLoggedProof(
        changed(({ proof }) => Object.assign(proof.files[0] ?? {}, { sha256: "0".repeat(64) })),
      ),
    ).toMatchObject({
      files: [],
    });
    expect(readLoggedProof(proven.pdf).state).toBe("none");
  });
});

describe("the printable file", () => {
  const PRINTS = "/api/signature/prints/";
  let service: TestApp;
  let owner: TestBrowser;
  let anybody: TestBrowser;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    owner = await openMember(service);
    anybody = openBrowser(service.app);
  });
  afterAll(() => service.close());

  const signed = async (
    files?: readonly { readonly name: string; readonly bytes: Uint8Array }[],
  ): Promise<Envelope> => {
    const envelope = await createSent(owner, {
      recipients: [PAUL],
      ...(files ? { files: [...files] } : {}),
    });
    const guest = await openConfirmedGuest(service, envelope.id, PAUL.email);
    expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
    await expect
      .poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 })
      .toBe(true);
    await service.settle();
    return envelope;
  };
  const print = async (envelope: Envelope, qr_type: Print["qr_type"]): Promise<Print> =>
    (await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type })).body;
  const copyOf = async (made: Print, more = ""): Promise<Uint8Array> => {
    const answer = await anybody.get(made.printable_url + more);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/pdf"]);
    return answer.bytes;
  };
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
  /** Gives the texts of the codes on each page, as an independent reader finds them. */
  const codesOf = async (bytes: Uint8Array, pages: number) => {
    const found: string[][] = [];
    for (let page = 1; page <= pages; page += 1)
      found.push((await readCodes(renderPage(bytes, page, 200))).map(({ text }) => text));
    return found;
  };

  describe.skipIf(missing)("GET prints/{id}/printable/", () => {
    test("a copy has a code on every page, each with a sealed statement", async () => {
      const made = await print(
        await signed([{ name: "Bail.pdf", bytes: makePdf({ pages: 3 }) }]),
        "page",
      );
      const document = (await anybody.get(made.document_url)).bytes;
      const codes = await codesOf(await copyOf(made), 3);
      // `preuve.json` has the seal: nothing else of the service is needed.
      const [header = ""] = JSON.parse((await anybody.get(made.proof_url)).text).jws.split(".");
      const [certificate] = JSON.parse(Buffer.from(header, "base64url").toString()).x5c;
      const seal = parseCertificate(
        new Uint8Array(Buffer.from(certificate, "base64")),
      ).subjectPublicKey;
      for (const [index, texts] of codes.entries()) {
        const [address = "", fragment = ""] = (texts[0] ?? "").split("#");
        expect(address).toBe(made.verify_url);
        const read = readStatement(made.id, fragment);
        expect(read?.statement).toEqual({
          printId: made.id,
          pageNumber: index + 1,
          pageCount: 3,
          hashPrefix: new Uint8Array(sha256(document).subarray(0, 16)),
          madeOn: service.platform.clock().toISOString().slice(0, 10),
        });
        expect(read && (await verifyStatement(read, [seal]))).toEqual(seal);
      }
    });

    test("a copy may have its code on the last or an added page", async () => {
      const envelope = await signed([{ name: "Bail.pdf", bytes: makePdf({ pages: 2 }) }]);
      const [last, certificate] = [
        await print(envelope, "last"),
        await print(envelope, "certificate"),
      ];
      expect((await codesOf(await copyOf(last), 2)).map((texts) => texts.length)).toEqual([0, 1]);
      const codes = await codesOf(await copyOf(certificate), 3);
      expect(codes.map((texts) => texts.length)).toEqual([0, 0, 1]);
      const fragment = codes[2]?.[0]?.split("#")[1] ?? "";
      expect(readStatement(certificate.id, fragment)?.statement).toMatchObject({
        pageNumber: 0,
        pageCount: 2,
      });
    });

    test("a copy has no signature, and the stored file stays as it is", async () => {
      const made = await print(await signed(), "page");
      const before = (await anybody.get(made.document_url)).bytes;
      const copy = await copyOf(made);
      expect(Buffer.from(copy).includes("/ByteRange")).toBe(false);
      expect(await service.platform.sandbox.call("inspect", copy)).toMatchObject({
        signatureCount: 0,
        findings: [],
      });
      expect(sha256((await anybody.get(made.document_url)).bytes)).toEqual(sha256(before));
      // Paper shows the signature's appearance, and everything else that the document shows.
      const [original, printed] = [
        renderPage(before, 1, 72).pixels,
        renderPage(copy, 1, 72).pixels,
      ];
      const ink = [...original.keys()].filter((at) => (original[at] ?? 255) < 128);
      expect(ink.length).toBeGreaterThan(3_000);
      expect(ink.filter((at) => Math.abs((printed[at] ?? 255) - (original[at] ?? 0)) > 24)).toEqual(
        [],
      );
    });

    test("a copy may be of one of several documents", async () => {
      const files = [1, 2].map((pages) => ({
        name: `Annexe ${pages}.pdf`,
        bytes: makePdf({ pages }),
      }));
      const envelope = await signed(files);
      const made = await print(envelope, "page");
      const second = await copyOf(made, `&document=${envelope.documents[1]?.id}`);
      expect(await service.platform.sandbox.call("inspect", second)).toMatchObject({
        pageCount: 2,
      });
      await expectRefusal(
        anybody.get(`${made.printable_url}&document=019aa000-0000-7000-8000-000000000000`),
        404,
        "not_found",
      );
    });
  });

  test("an unsigned or cancelled envelope has no copy to print", async () => {
    const sent = await createSent(owner, { recipients: [PAUL] });
    const early = await print(sent, "page");
    await expectRefusal(anybody.get(early.printable_url), 404, "not_found");
    const envelope = await signed();
    const made = await print(envelope, "page");
    expect((await anybody.get(made.printable_url)).headers["cache-control"]).toBe(
      "private, no-store",
    );
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    await expectRefusal(anybody.get(made.printable_url), 404, "not_found");
  });
});
