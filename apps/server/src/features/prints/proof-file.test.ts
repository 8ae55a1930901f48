import { createHash } from "node:crypto";
import { PROOF_SCHEMA_PATH } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { signIn } from "../../../testing/member.ts";
import {
  bytesAt,
  completeEnvelope,
  notOk,
  openProven,
  PRINTS,
  printOf,
  proofIn,
  type Proven,
  verifyProven,
} from "../../../testing/proven-envelope.ts";
import { makeCheckpoint } from "../transparency/index.ts";
import { createTrust } from "../trust/index.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

describe("preuve.json", () => {
  it("security line 57: gives who holds the paper the names of who signed alone; the owner, every value of the journal", async () => {
    const { owner, anybody, test } = proven;
    const viewer = { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "viewer" };
    const print = await printOf(owner, await completeEnvelope({ test, owner }, { recipients: [PAUL, viewer] }));
    const bytes = await bytesAt(anybody, print.proof_url);
    const { proof } = proofIn(bytes);
    const values = proof.journal.events.flatMap(({ personal }) => Object.entries(personal).map(([name, { value }]) => [name, value]));
    expect(proof.journal.disclosed).toBe("names");
    const { files, title } = proof;
    expect(new Set(values.map(String))).toEqual(
      new Set([
        "actor_name,Paul Morel",
        "full_name,Paul Morel",
        `title,${title}`,
        `document_names,${files[0]?.document}:Bail.pdf`,
        expect.stringMatching(/^signer_names,[0-9a-f-]{36}:Paul Morel$/),
      ]),
    );
    expect(Buffer.from(bytes).toString()).not.toMatch(/exemple\.fr|127\.0\.0\.1|light-my-request|Léa|Camille/);
    const own = proofIn(await bytesAt(owner, `${PRINTS}${print.id}/proof/`)).proof;
    expect(own.journal.disclosed).toBe("all");
    expect(own.journal.events.flatMap(({ personal }) => Object.keys(personal))).toEqual(
      expect.arrayContaining(["email", "ip", "destination"]),
    );
    expect(JSON.stringify(own)).toContain(PAUL.email);
  });

  it("names each file with its size and hash, each signature with its certificate, and who leads to a root", async () => {
    const { pdf, roots } = proven;
    const { $schema, proof } = proofIn(proven.proof);
    expect($schema).toBe(`https://localhost:8443${PROOF_SCHEMA_PATH}`);
    expect(proof.files).toMatchObject([{ size_bytes: pdf.length, sha256: createHash("sha256").update(pdf).digest("hex") }]);
    expect(proof.signatures).toMatchObject([
      { signer_name: "Paul Morel", level: "B-LTA", verdict: "valid", timestamp: { tsa: "Paraphe Horodatage" } },
    ]);
    expect(proof.certificates.roots).toEqual([Buffer.from(roots[0] as Uint8Array).toString("base64")]);
    expect([proof.revocation.crls.length, proof.revocation.ocsps.length]).toEqual([2, 2]);
  });

  it("is of the JSON Schema that it names, which anybody may read", async () => {
    const answer = await proven.anybody.get(PROOF_SCHEMA_PATH);
    expect(answer.headers["content-type"]).toContain("application/schema+json");
    const schema = JSON.parse(answer.text);
    const file = proofIn(proven.proof);
    expect([schema.$id, schema.$schema]).toEqual([file.$schema, "https://json-schema.org/draft/2020-12/schema"]);
    expect(schema.required).toEqual(expect.arrayContaining(Object.keys(file)));
    // Members that came since may be missing in proofs of before.
    const since = ["declined", "expired", "completion_logged", "revoked_statement_keys"];
    const known = Object.keys(file.proof).filter((name) => !since.includes(name));
    expect(schema.properties.proof.required).toEqual(expect.arrayContaining(known));
  });

  it("of an envelope that waits says so, and before a checkpoint that the log does not cover it", async () => {
    const { test, owner, anybody } = proven;
    const envelope = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(test, envelope.id, PAUL.email);
    const print = await printOf(owner, envelope);
    const files = [{ name: "contrat.pdf", bytes: await bytesAt(anybody, print.document_url) }];
    const read = () => bytesAt(anybody, print.proof_url);
    expect(notOk(await verifyProven(proven, { proof: await read(), files }))).toEqual([
      ["completion", "not_checked"],
      ["inclusion", "not_checked"],
    ]);
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    expect(notOk(await verifyProven(proven, { proof: await read(), files }))).toEqual([["completion", "not_checked"]]);
  });

  it("of a purged envelope names nobody, and its journal still holds", async () => {
    const { test, anybody, member } = proven;
    const owner = await signIn(test, member);
    const envelope = await completeEnvelope({ test, owner });
    const print = await printOf(owner, envelope);
    const bytes = await bytesAt(anybody, print.document_url);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect((await owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`)).status).toBe(204);
    await test.settle();
    const proof = await bytesAt(anybody, print.proof_url);
    expect(Buffer.from(proof).toString()).not.toMatch(/Morel|Bail|exemple\.fr/);
    const report = await verifyProven(proven, { proof, files: [{ name: "contrat.pdf", bytes }] });
    expect(notOk(report)).toEqual([
      ["completion", "not_checked"],
      ["signatures", "not_checked"],
    ]);
  });
});
