import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../server/testing/platform.ts";
import { openSecrets } from "../../../server/src/platform/secrets/data-key.ts";
import { createTrust } from "../../../server/src/features/trust/public.ts";
import { runKeys } from "./run-keys.ts";

let platform: TestPlatform;
let folder: string;
const PASSPHRASE = { ROOT_KEY_PASSPHRASE: "une phrase bien longue" };
const run = (words: string, environment: Record<string, string> = {}) =>
  runKeys(platform, words.split(" "), environment);
const table = async () => (await run("list")).lines.slice(1).map((line) => line.split(/ {2,}/));
const rootFile = () => join(folder, "racine.pem");

beforeEach(async () => {
  platform = await createTestPlatform();
  folder = await mkdtemp(join(tmpdir(), "paraphe-keys-"));
});
afterEach(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

it("lists every key in French, creating missing ones", async () => {
  const rows = await table();
  expect(rows.map(([role, name, , , state, key]) => [role, name, state, key])).toEqual([
    ["racine", "Paraphe Racine", "en service", "dans la base"],
    ["autorité de signature", "Paraphe Signature", "en service", "dans la base"],
    ["horodatage", "Paraphe Horodatage", "en service", "dans la base"],
    ["répondeur OCSP", "Paraphe OCSP", "en service", "dans la base"],
    ["cachet du service", "Paraphe Cachet", "en service", "dans la base"],
  ]);
  expect(rows[0]?.[3]).toBe("21/11/2026 – 21/11/2051");
});

it("replaces a key and reports the state of the old one", async () => {
  expect(await run("rotate ca")).toMatchObject({
    code: 0,
    lines: expect.arrayContaining(["Remplacée\u00a0: autorité de signature."]),
  });
  expect((await table()).map(([, name, , , state, key]) => [name, state, key])).toEqual([
    ["Paraphe Racine", "en service", "dans la base"],
    ["Paraphe Signature G2", "en service", "dans la base"],
    ["Paraphe Horodatage G2", "en service", "dans la base"],
    ["Paraphe OCSP G2", "en service", "dans la base"],
    ["Paraphe Cachet G2", "en service", "dans la base"],
    ["Paraphe Signature", "retirée le 21/11/2026", "dans la base"],
    ["Paraphe Horodatage", "retirée le 21/11/2026", "détruite"],
    ["Paraphe OCSP", "retirée le 21/11/2026", "dans la base"],
    ["Paraphe Cachet", "retirée le 21/11/2026", "détruite"],
  ]);
});

it("revokes a retired key, never one in use or an unknown one", async () => {
  const [, , tsa] = await table();
  const serial = tsa?.[2] ?? "";
  expect(await run(`revoke ${serial} remplacement`)).toEqual({
    code: 1,
    lines: ["Cette autorité est en service\u00a0: remplacez-la d’abord (rotate)."],
  });
  await run("rotate tsa");
  expect(await run(`revoke ${serial} remplacement`)).toMatchObject({
    code: 0,
    lines: [
      "Révoqué\u00a0: Paraphe Horodatage. La liste n° 1 de son émetteur est publiée.",
      expect.any(String),
    ],
  });
  expect((await table()).at(-1)?.[4]).toBe("révoquée le 21/11/2026");
  expect((await run(`revoke ${serial} remplacement`)).lines).toEqual([
    "Ce certificat est déjà révoqué.",
  ]);
  expect((await run("revoke 1234 remplacement")).lines).toEqual([
    "Aucun certificat émis ici ne porte ce numéro de série.",
  ]);
});

it("exports the root's key and imports it again; its CRL stays valid meanwhile, and it issues nothing", async () => {
  expect((await run(`export-root ${rootFile()}`)).lines[0]).toContain("ROOT_KEY_PASSPHRASE");
  expect(await run(`export-root ${rootFile()}`, PASSPHRASE)).toMatchObject({ code: 0 });
  expect((await stat(rootFile())).mode & 0o777).toBe(0o600);
  expect(
    execFileSync("openssl", [
      "pkey",
      "-in",
      rootFile(),
      "-passin",
      `pass:${PASSPHRASE.ROOT_KEY_PASSPHRASE}`,
      "-noout",
      "-text",
    ]).toString(),
  ).toContain("secp384r1");
  expect(await readFile(rootFile(), "utf8")).toContain("BEGIN CERTIFICATE");
  expect((await run(`export-root ${rootFile()}`, PASSPHRASE)).code).toBe(1);

  expect(
    (await run(`remove-root ${rootFile()}`, { ROOT_KEY_PASSPHRASE: "une autre phrase" })).lines[0],
  ).toContain("Rien n’a été changé");
  expect((await run(`remove-root ${join(folder, "absent")}`, PASSPHRASE)).code).toBe(1);
  expect((await run(`remove-root ${rootFile()}`, PASSPHRASE)).lines[1]).toContain(
    "22\u00a0novembre 2027",
  );
  expect((await table())[0]?.[5]).toBe("hors ligne");
  expect((await run("rotate ca")).lines).toEqual([
    "La clé de la racine n’est pas dans la base\u00a0: rapportez-la d’abord (import-root, avec le fichier de cette racine).",
  ]);
  expect((await run("rotate tsa")).code).toBe(0);
  expect((await run(`remove-root ${rootFile()}`, PASSPHRASE)).code).toBe(1);
  platform.clock.advance({ days: 30 });
  const trust = await createTrust(platform);
  expect(await trust.crl("root")).toMatchObject({ number: 1 });

  expect((await run(`import-root ${rootFile()}`, PASSPHRASE)).code).toBe(0);
  expect((await run(`import-root ${rootFile()}`, PASSPHRASE)).lines).toEqual([
    "La clé de la racine est déjà dans la base.",
  ]);
});

it("imports the offline key of a replaced root, which then revokes its certificates", async () => {
  const [, ca] = await table();
  await run(`export-root ${rootFile()}`, PASSPHRASE);
  await run(`remove-root ${rootFile()}`, PASSPHRASE);
  expect((await run("rotate root")).lines.at(-1)).toContain("gardez son fichier");
  expect(
    (await table())
      .filter(([role]) => role === "racine")
      .map(([, , , , state, key]) => [state, key]),
  ).toEqual([
    ["en service", "dans la base"],
    ["retirée le 21/11/2026", "hors ligne"],
  ]);
  expect((await run(`revoke ${ca?.[2]} remplacement`)).lines[0]).toContain(
    "avec le fichier de cette racine",
  );
  expect((await run(`import-root ${rootFile()}`, PASSPHRASE)).code).toBe(0);
  expect((await run(`revoke ${ca?.[2]} remplacement`)).lines[0]).toContain(
    "Révoqué\u00a0: Paraphe Signature.",
  );
  expect((await run(`remove-root ${rootFile()}`, PASSPHRASE)).code).toBe(0);
  expect(
    (await table()).filter(([role]) => role === "racine").map(([, , , , , key]) => key),
  ).toEqual(["dans la base", "hors ligne"]);
  expect((await run(`remove-root ${rootFile()}`, PASSPHRASE)).lines[0]).toContain(
    "rapportez-la d’abord",
  );
  expect((await run("rotate root")).code).toBe(0);
});

it("refuses a key that belongs to none of its roots", async () => {
  await run("list");
  execFileSync("openssl", [
    "genpkey",
    "-algorithm",
    "EC",
    "-pkeyopt",
    "ec_paramgen_curve:P-384",
    "-aes256",
    "-out",
    rootFile(),
    "-pass",
    `pass:${PASSPHRASE.ROOT_KEY_PASSPHRASE}`,
  ]);
  expect((await run(`remove-root ${rootFile()}`, PASSPHRASE)).lines[0]).toContain(
    "aucune racine de ce service",
  );
});

it("explains that a root cannot be revoked", async () => {
  const [root] = await table();
  expect(await run(`revoke ${root?.[2]} compromission`)).toMatchObject({
    code: 1,
    lines: [expect.stringContaining("celui d’une racine")],
  });
});

it("prints its usage, and that no outside authority is retained", async () => {
  for (const words of [
    "",
    "rotate",
    "rotate hsm",
    "revoke 12",
    "revoke 12 caprice",
    "export-root",
    "autre",
    "list tout",
  ])
    expect((await run(words, PASSPHRASE)).code).toBe(64);
  expect((await run("trust-tsa")).code).toBe(1);
});

it("replaces the master key by the environment's and explains the next step", async () => {
  const former = new Uint8Array(32).fill(1);
  const given = { ...platform, settings: { ...platform.settings, masterKey: former } };
  const ask = (environment: Record<string, string>) =>
    runKeys(given, ["rotate-master"], environment);
  await openSecrets(given);
  expect((await ask({})).lines[0]).toContain("NEW_MASTER_KEY");
  const said = await ask({ NEW_MASTER_KEY: Buffer.alloc(32, 2).toString("base64") });
  expect([said.code, said.lines[0]]).toEqual([
    0,
    expect.stringContaining("donnez NEW_MASTER_KEY pour MASTER_KEY"),
  ]);
  await expect(openSecrets(given)).rejects.toThrow("MASTER_KEY n’est pas la clé de cette base");
});
