import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { notOk, openProven, PRINTS, printOf, proofIn, type Proven, verifyProven } from "../../../testing/proven-envelope.ts";
import { storedHash, storedPath } from "../../../testing/stored-file.ts";
import { openTestTsa, type TestTsa } from "../../../testing/tsa-server.ts";

let tsa: TestTsa;
let proven: Proven;
beforeAll(async () => {
  tsa = await openTestTsa();
  proven = await openProven({ settings: { tsaUrl: tsa.url } });
}, 60_000);
afterAll(async () => {
  await proven.test.close();
  await tsa.close();
});

/** What leans on the authority's times. */
const OUTSIDE = ["stamp", "signatures", "checkpoint"];
const read = async (browser = proven.anybody, address = proven.print.proof_url) => (await browser.get(address)).text;
/** How often the authority was asked meanwhile. */
async function askedBy<T>(work: () => Promise<T>): Promise<{ readonly asked: number; readonly got: T }> {
  const before = tsa.asked();
  const got = await work();
  return { asked: tsa.asked() - before, got };
}

describe("a proof that strangers ask for", () => {
  it("is stamped by the outside authority, and valid for whoever gives its certificate, or the root above it, beside the service's root", async () => {
    const [anchor = ""] = proofIn(proven.proof).proof.certificates.timestamp_anchors;
    for (const outside of [new Uint8Array(Buffer.from(anchor, "base64")), tsa.root]) {
      const report = await verifyProven(proven, { roots: [...proven.roots, outside] });
      expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
      expect(report.checks.find(({ name }) => name === "stamp")?.sentence).toContain("Horloge Tierce Horodatage");
    }
  });

  it("proves no time to whoever gives the service's root alone, and is told by whom it was stamped", async () => {
    const report = await verifyProven(proven);
    expect([report.verdict, notOk(report)]).toEqual(["indeterminate", OUTSIDE.map((name) => [name, "not_checked"])]);
    const [anchor = ""] = proofIn(proven.proof).proof.certificates.timestamp_anchors;
    const print = new X509Certificate(Buffer.from(anchor, "base64")).fingerprint256;
    for (const name of ["stamp", "checkpoint"])
      expect(report.checks.find((check) => check.name === name)?.sentence).toContain(
        `«\u00a0Horloge Tierce Horodatage\u00a0», que la preuve seule nomme (empreinte SHA-256 ${print})`,
      );
  });

  it("is not vouched for by the outside authority's certificate alone", async () => {
    const anchors = proofIn(proven.proof).proof.certificates.timestamp_anchors.map((der) => new Uint8Array(Buffer.from(der, "base64")));
    const report = await verifyProven(proven, { roots: [...anchors, tsa.root] });
    expect(report.verdict).toBe("indeterminate");
    expect(notOk(report)).toContainEqual(["root", "not_checked"]);
    expect(report.roots.map(({ name }) => name)).toEqual(["Paraphe Racine"]);
  });

  it("is the same for five minutes, however often and by how many at once: the authority is asked once", async () => {
    proven.test.platform.clock.advance({ minutes: 6 });
    const { asked, got } = await askedBy(() => Promise.all(Array.from({ length: 8 }, () => read())));
    expect([asked, new Set(got).size]).toEqual([1, 1]);
    proven.test.platform.clock.advance({ minutes: 4 });
    expect(await askedBy(() => read())).toEqual({ asked: 0, got: got[0] });
    proven.test.platform.clock.advance({ minutes: 2 });
    const next = await askedBy(() => read());
    expect([next.asked, next.got === got[0]]).toEqual([1, false]);
  });

  it("is another one to its owner’s session, which sees more", async () => {
    const own = await read(proven.owner, `${PRINTS}${proven.print.id}/proof/`);
    expect(proofIn(Buffer.from(own)).proof.journal.disclosed).toBe("all");
    expect(proofIn(Buffer.from(await read())).proof.journal.disclosed).toBe("names");
  });

  it("is made anew as soon as it would say something else", async () => {
    await read();
    const { id } = proven.envelope;
    const address = `${ENVELOPES}${id}/public-page/`;
    const headers = { "content-type": "application/json" };
    expect((await proven.owner.send("PUT", address, { body: JSON.stringify({ proof_only: true }), headers })).status).toBe(200);
    expect(proofIn(Buffer.from(await read())).proof).toMatchObject({ proof_only: true, document_url: null });
    const path = storedPath(proven.test.platform, await storedHash(proven.test.platform, proven.envelope.documents[0]?.id ?? ""));
    writeFileSync(path, makePdf());
    expect(proofIn(Buffer.from(await read())).proof.verdict).toBe("invalid");
    writeFileSync(path, proven.pdf);
    expect(proofIn(Buffer.from(await read())).proof.verdict).toBe("valid");
  });

  it("is given without a time-stamp while the authority is away, which is left alone for a minute, and with one since", async () => {
    tsa.behave({ away: true });
    const print = await printOf(proven.owner, proven.envelope);
    const first = await askedBy(() => read(proven.anybody, print.proof_url));
    expect([first.asked, proofIn(Buffer.from(first.got)).timestamp]).toEqual([1, null]);
    const report = await verifyProven(proven, { proof: Buffer.from(first.got), roots: [...proven.roots, tsa.root] });
    expect([report.verdict, notOk(report)]).toEqual(["indeterminate", [["stamp", "not_checked"]]]);
    expect((await askedBy(() => read(proven.anybody, print.proof_url))).asked).toBe(0);
    tsa.behave({});
    proven.test.platform.clock.advance({ seconds: 61 });
    expect(proofIn(Buffer.from(await read(proven.anybody, print.proof_url))).timestamp).not.toBeNull();
  });
});
