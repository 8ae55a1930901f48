import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Print } from "@paraphe/contracts";
import { PAGES_UNCHECKED, readCertificates, verifyReceived } from "@paraphe/proof";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp } from "../../../server/testing/app.ts";
import { openBrowser } from "../../../server/testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../server/testing/envelope.ts";
import { signAsGuest } from "../../../server/testing/guest.ts";
import { createMember, signIn } from "../../../server/testing/member.ts";
import { createTestPki } from "../../../../packages/pades/testing/test-pki.ts";
import { runKeys } from "../keys/run-keys.ts";
import { runParaphe } from "../run-paraphe.ts";

const SCRIPT = fileURLToPath(new URL("../main.ts", import.meta.url));
/** Any network call ends the process. */
const NO_NETWORK = `data:text/javascript,${encodeURIComponent(`
  import net from "node:net"; import dns from "node:dns"; import dgram from "node:dgram";
  const refuse = () => { console.error("asked the network"); process.exit(99); };
  net.Socket.prototype.connect = refuse; dns.lookup = refuse; dgram.createSocket = refuse;
`)}`;
let folder: string;

/** A service makes proofs before and after its keys are replaced, and is removed with its data. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-verify-"));
  // The command uses the machine's clock, so the service lives in the past.
  const test = await createTestApp({
    settings: { rateLimits: "off" },
    now: new Date(Date.now() - 300_000),
  });
  const owner = await signIn(test, await createMember(test.platform));
  const anybody = openBrowser(test.app);
  const save = async (name: string, address: string) =>
    writeFile(join(folder, name), (await anybody.get(address)).bytes);
  const envelope = await createSent(owner, { recipients: [PAUL] });
  await signAsGuest(test, envelope.id, PAUL.email);
  // The log's checkpoint is deferred.
  await test.settle({ deferred: "run" });
  const made = (
    await owner.post("/api/signature/prints/generate/", { envelope: envelope.id, qr_type: "page" })
  ).body as Print;
  await save("preuve.json", made.proof_url);
  await save("contrat.pdf", made.document_url);
  const evidence = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
  await writeFile(join(folder, "dossier.pdf"), evidence.bytes);
  await save("ca.pem", "/pki/ca.pem");
  await save("jwks.json", "/.well-known/jwks.json");
  for (const purpose of ["seal", "tsa", "ca"])
    if ((await runKeys(test.platform, ["rotate", purpose], {})).code !== 0)
      throw new Error(`The key was not replaced: ${purpose}`);
  // Keys are cached for half a minute.
  test.platform.clock.advance({ minutes: 1 });
  await save("preuve-apres.json", made.proof_url);
  await save("ca-apres.pem", "/pki/ca.pem");
  await save("jwks-apres.json", "/.well-known/jwks.json");
  await test.close();
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command in this process: a process of its own costs most of a second of CPU. */
async function run(...words: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { outcome } = await runParaphe(["verify", ...words], { INIT_CWD: folder });
  return { code: outcome.code, text: outcome.lines.map((line) => `${line}\n`).join("") };
}

/** Runs it as npm does, without a network. */
function runAsProgram(...words: string[]): { readonly code: number | null; readonly text: string } {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    INIT_CWD: folder,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(folder, "compiled"),
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", NO_NETWORK, SCRIPT, "verify", ...words],
    {
      env: environment,
      encoding: "utf8",
    },
  );
  return { code: status, text: stdout + stderr };
}

it("runs its checks without network", () => {
  const asked = spawnSync(
    process.execPath,
    ["--import", NO_NETWORK, "-e", "fetch('http://127.0.0.1:8443/')"],
    { encoding: "utf8" },
  );
  expect([asked.status, asked.stderr]).toEqual([99, "asked the network\n"]);
});

it("validates a proof and its PDF without the service, its database and its keys", () => {
  const { code, text } = runAsProgram("preuve.json", "contrat.pdf", "--root", "ca.pem");
  expect(text).toContain("VALIDE – Tout a été vérifié, et tout tient.");
  expect(text).not.toMatch(/FAUX|non vérifié/);
  expect(code).toBe(0);
});

it.each([
  [
    "made before the keys were replaced, with what is published since",
    "preuve.json",
    ["--root", "ca-apres.pem"],
  ],
  ["attached to the evidence PDF", "dossier.pdf", ["--root", "ca.pem"]],
  ["made since", "preuve-apres.json", ["--root", "ca-apres.pem"]],
  ["whose seal is known by its key alone", "preuve.json", ["--jwks", "jwks.json"]],
  [
    "whose seal was replaced since, by the keys that are published",
    "preuve.json",
    ["--jwks", "jwks-apres.json"],
  ],
  [
    "made by the new seal, by its key and by the root",
    "preuve-apres.json",
    ["--jwks", "jwks-apres.json", "--root", "ca-apres.pem"],
  ],
])("validates a proof %s", async (_what, proof, trusted) => {
  const { code, text } = await run(proof, "contrat.pdf", ...trusted);
  expect([code, text]).toEqual([
    0,
    expect.stringContaining("VALIDE – Tout a été vérifié, et tout tient."),
  ]);
  expect(text.includes("Les pages du dossier")).toBe(proof === "dossier.pdf");
});

it.each([
  ["with the signed PDF", ["contrat.pdf"], "valid", true],
  ["alone", [], "indeterminate", true],
  ["beside preuve.json, which comes first", ["contrat.pdf", "preuve.json"], "valid", false],
] as const)("takes a received evidence PDF %s", async (_what, others, verdict, isAttached) => {
  const given = async (name: string) => ({
    name,
    bytes: new Uint8Array(await readFile(join(folder, name))),
  });
  const files = await Promise.all(others.map(given));
  const { report } = await verifyReceived({
    proof: files.find(({ name }) => name === "preuve.json")?.bytes ?? null,
    evidence: await given("dossier.pdf"),
    files: files.filter(({ name }) => name !== "preuve.json"),
    roots: readCertificates((await given("ca.pem")).bytes),
    authorities: null,
    address: null,
    now: new Date(),
  });
  expect([report.verdict, report.limits.includes(PAGES_UNCHECKED)]).toEqual([verdict, isAttached]);
  expect(report.proof?.signers.map(({ full_name }) => full_name)).toEqual([PAUL.full_name]);
});

it.each([
  ["ca.pem", "service", "ok"],
  ["other.pem", "unknown", "not_checked"],
] as const)("a proof of other files is known by %s: %s", async (authorities, trust, root) => {
  const read = async (name: string) => new Uint8Array(await readFile(join(folder, name)));
  const { certificates } = (await createTestPki("Ailleurs")).root;
  const other = `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificates[0] ?? []).toString("base64")}\n-----END CERTIFICATE-----`;
  const checked = await verifyReceived({
    proof: await read("preuve.json"),
    evidence: null,
    files: [{ name: "autre.pdf", bytes: await read("dossier.pdf") }],
    roots: [],
    authorities: authorities === "ca.pem" ? await read("ca.pem") : new TextEncoder().encode(other),
    address: null,
    now: new Date(),
  });
  expect([checked.report.verdict, checked.trust]).toEqual(["invalid", trust]);
  expect(checked.report.checks.find(({ name }) => name === "root")?.state).toBe(root);
});

it("asks for the proof where a PDF has none attached", async () => {
  const { code, text } = await run("contrat.pdf", "--root", "ca.pem");
  expect([code, text]).toEqual([
    64,
    expect.stringMatching(/^contrat\.pdf ne porte pas preuve\.json/),
  ]);
});

it("trusts no seal by a key set without its key", async () => {
  const kidOf = async (name: string) =>
    JSON.parse(
      Buffer.from(
        JSON.parse(await readFile(join(folder, name), "utf8")).jws.split(".")[0],
        "base64url",
      ).toString(),
    ).kid;
  expect(await kidOf("preuve-apres.json")).not.toBe(await kidOf("preuve.json"));
  const { code, text } = await run("preuve-apres.json", "contrat.pdf", "--jwks", "jwks.json");
  expect(text).toMatch(
    /Clé du cachet +FAUX +La clé qui a scellé la preuve n’est pas de celles que vous avez données\./,
  );
  expect(code).toBe(1);
});

it("exits with 2 without a trusted root, and prints its fingerprint", async () => {
  const { code, text } = await run("preuve.json", "contrat.pdf");
  expect(code).toBe(2);
  expect(text).toMatch(
    /Racine +non vérifié +Aucune racine n’a été donnée\..* empreinte SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}/,
  );
  expect(text).toContain("INDÉTERMINÉ – ");
});

it("exits with 1 for a flipped byte in either file", async () => {
  for (const name of ["preuve.json", "contrat.pdf"]) {
    const bytes = await readFile(join(folder, name));
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(join(folder, `autre-${name}`), bytes);
  }
  expect(await run("autre-preuve.json", "contrat.pdf", "--root", "ca.pem")).toMatchObject({
    code: 1,
    text: expect.stringContaining("NON VALIDE – "),
  });
  expect(await run("preuve.json", "autre-contrat.pdf", "--root", "ca.pem")).toMatchObject({
    code: 1,
    text: expect.stringContaining("FAUX"),
  });
});

it("prints no heading, escape or line of a forged proof or a file name", async () => {
  const trick =
    "https://x\u001b[2J\u001b[H\u001b[32mVALIDE – Tout a été vérifié, et tout tient.\u001b[0m\n\u009b8m\u2028\u202e";
  const file = JSON.parse(await readFile(join(folder, "preuve.json"), "utf8"));
  const forged = {
    ...file,
    $schema: file.$schema.replace(file.proof.service, trick),
    proof: { ...file.proof, service: trick },
  };
  await writeFile(join(folder, "forgee.json"), JSON.stringify(forged, null, 2));
  const name = "contrat\u001b[2J\nVALIDE – Tout.pdf";
  await writeFile(join(folder, name), await readFile(join(folder, "contrat.pdf")));
  const { code, text } = runAsProgram("forgee.json", "--root", "ca.pem");
  expect([code, text]).toEqual([1, expect.stringMatching(/^Contrôle[^]*\nNON VALIDE – .*\n$/)]);
  expect(text).not.toContain("x\\u001b");
  const named = runAsProgram("preuve.json", name, "--root", "ca.pem");
  expect([named.code, named.text]).toEqual([
    0,
    expect.stringContaining("contrat\\u001b[2J\\u000aVALIDE – Tout.pdf"),
  ]);
  for (const written of [text, named.text])
    expect(written.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  expect(runAsProgram("preuve.json", "absent\u001b[2J.pdf")).toMatchObject({
    code: 64,
    text: expect.stringContaining("absent\\u001b[2J.pdf"),
  });
});

it.each([
  ["nothing", []],
  ["an option that is not there", ["preuve.json", "--force"]],
  ["a file that is not there", ["absent.json"]],
  ["a root that is none", ["preuve.json", "--root", "contrat.pdf"]],
  ["a set of keys that is none", ["preuve.json", "--jwks", "ca.pem"]],
])("exits with 64 and its usage for %s", async (_what, words) => {
  expect(await run(...words)).toMatchObject({
    code: 64,
    text: expect.stringContaining("Usage\u00a0: paraphe verify"),
  });
});

it("names two files of one name by their paths", async () => {
  for (const place of ["un", "deux"]) {
    await mkdir(join(folder, place));
    await writeFile(join(folder, place, "bail.pdf"), await readFile(join(folder, "contrat.pdf")));
  }
  const { text } = await run("preuve.json", "un/bail.pdf", "deux/bail.pdf", "--root", "ca.pem");
  expect(text).toContain("deux/bail.pdf\u00a0: ");
});
