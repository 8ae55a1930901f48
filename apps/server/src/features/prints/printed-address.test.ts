import { createHash } from "node:crypto";
import type { Signer } from "@paraphe/pades";
import { verifyBrought } from "@paraphe/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp } from "../../../testing/app.ts";
import { openProven, type Proven } from "../../../testing/proven-envelope.ts";
import { createTrust } from "../trust/index.ts";
import { signPageAddress } from "./sign-page-address.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

describe("the address of a printed page, without the service", () => {
  const sealOf = async () => (await createTrust(proven.test.platform)).seal;
  const printed = async (seal: Signer, sha256 = createHash("sha256").update(proven.pdf).digest()) =>
    signPageAddress(
      seal,
      {
        printId: proven.print.id,
        address: `https://localhost:8443/verify/${proven.print.id}?sig=x`,
        sha256,
        pageCount: 3,
        madeAt: new Date("2026-11-22T10:00:00Z"),
      },
      2,
    );
  const check = (address: string, more: { proof?: null; files?: []; roots?: [] } = {}) =>
    verifyBrought({
      proof: proven.proof,
      files: [{ name: "contrat.pdf", bytes: proven.pdf }],
      roots: proven.roots,
      address,
      now: proven.test.platform.clock(),
      ...more,
    });
  const ofPaper = ({ checks }: Awaited<ReturnType<typeof check>>) =>
    checks.filter(({ name }) => name === "statement" || name === "paper").map(({ state }) => state);

  it("is signed by the seal, and speaks of the PDF that is there", async () => {
    const report = await check(await printed(await sealOf()));
    expect([report.verdict, ofPaper(report)]).toEqual(["valid", ["ok", "ok"]]);
    expect(report.checks.at(-2)?.sentence).toContain("la page 2 sur 3, copie faite le 22/11/2026");
  });

  it("fails when another service signed it, and when it speaks of another file", async () => {
    const other = await createTestApp();
    const forged = await printed((await createTrust(other.platform)).seal);
    await other.close();
    const seal = await sealOf();
    // What the service did not sign says nothing right of a file either.
    expect(ofPaper(await check(forged))).toEqual(["failed", "not_checked"]);
    const ofAnother = await check(await printed(seal, createHash("sha256").update("autre").digest()));
    expect([ofAnother.verdict, ofPaper(ofAnother)]).toEqual(["invalid", ["ok", "failed"]]);
  });

  it("that was read in part, or has another fragment before the signed one, vouches for nothing and accuses nobody", async () => {
    const address = await printed(await sealOf());
    for (const unread of [address.slice(0, -1), address.slice(0, -20), address.replace("#", "#abc#"), address.replace(/#.*/, "#abc")]) {
      const report = await check(unread);
      expect([unread, report.verdict, ofPaper(report)]).toEqual([unread, "indeterminate", ["not_checked"]]);
    }
  });

  it("fails when it leads to another place, whatever true statement was copied to its end", async () => {
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
      expect([place, report.verdict, ofPaper(report)]).toEqual([place, "invalid", ["failed", "not_checked"]]);
    }
    const named = (await check(`${stray[0]}#${fragment}`)).checks.find(({ name }) => name === "statement");
    expect(named?.sentence).toContain("mène à «\u00a0evil.example/verify/");
    // As some readers of codes give it.
    expect((await check(address.replace("https://", ""))).verdict).toBe("valid");
  });

  it("is said to be signed by nobody in particular where no root is given", async () => {
    const report = await check(await printed(await sealOf()), { roots: [] });
    expect([report.verdict, ofPaper(report)]).toEqual(["indeterminate", ["not_checked", "not_checked"]]);
    expect(report.checks.at(-2)?.sentence).toMatch(/^Si la racine est bien celle du service\u00a0: le QR code parle/);
  });

  it("is valid for nobody without a proof, and says what is missing", async () => {
    const address = await printed(await sealOf());
    const alone = await check(address, { proof: null });
    expect([alone.verdict, ofPaper(alone)]).toEqual(["indeterminate", ["not_checked", "not_checked"]]);
    expect(ofPaper(await check(address, { proof: null, files: [] }))).toEqual(["not_checked", "not_checked"]);
  });
});
