import { createRequire } from "node:module";
import { createPublicKey, verify } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as pkcs11 from "pkcs11js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../testing/database.ts";
import { findFreePort, runMain } from "../../../testing/run-main.ts";
import { openSoftHsm, SOFT_HSM_MISSING, type SoftHsm } from "../../../testing/soft-hsm.ts";
import { type Hsm, openHsm } from "./hsm.ts";

const DATA = new TextEncoder().encode("Bail d’habitation");
const verifies = ({ subjectPublicKey }: Hsm, value: Uint8Array) =>
  verify(
    "sha256",
    DATA,
    createPublicKey({ key: Buffer.from(subjectPublicKey), format: "der", type: "spki" }),
    value,
  );

describe.skipIf(SOFT_HSM_MISSING !== null)("a key in a hardware token", () => {
  let token: SoftHsm;
  let hsm: Hsm | null = null;
  beforeAll(async () => {
    token = await openSoftHsm();
  });
  afterEach(() => {
    hsm?.close();
    hsm = null;
  });
  afterAll(() => token.close());

  it("a P-256 token key signs as CMS requires", async () => {
    hsm = await openHsm(token.settings);
    expect(hsm.algorithm).toBe("ecdsa-p256-sha256");
    // Sometimes r or s is shorter than 32 bytes.
    for (let count = 0; count < 40; count++) expect(verifies(hsm, await hsm.sign(DATA))).toBe(true);
  });

  it("an RSA token key signs", async () => {
    hsm = await openHsm(token.rsa);
    expect([hsm.algorithm, verifies(hsm, await hsm.sign(DATA))]).toEqual([
      "rsa-pkcs1-sha256",
      true,
    ]);
  });

  it("simultaneous signatures are made one after the other", async () => {
    const opened = await openHsm(token.settings);
    hsm = opened;
    const values = await Promise.all(Array.from({ length: 20 }, () => opened.sign(DATA)));
    expect(values.every((value) => verifies(opened, value))).toBe(true);
  });

  it("a lost session is reopened", async () => {
    hsm = await openHsm(token.settings);
    loseSessions(token);
    expect(verifies(hsm, await hsm.sign(DATA))).toBe(true);
    loseSessions(token);
    expect(await hsm.isReady()).toBe(true);
  });

  it.each([
    ["a wrong PIN", () => token.wrongPin, "PKCS11_PIN"],
    ["a token that is not there", () => ({ ...token.settings, token: "autre" }), "PKCS11_TOKEN"],
    ["a key that is not there", () => ({ ...token.settings, key: "autre" }), "PKCS11_KEY"],
    [
      "a key that the profile's digest does not go with",
      () => ({ ...token.settings, key: "cachet-p384" }),
      "PKCS11_KEY",
    ],
    [
      "a module that does not load",
      () => ({ ...token.settings, module: "/etc/hostname" }),
      "PKCS11_MODULE",
    ],
  ])(
    "refuses %s at start, in one French line that names the variable and not its value",
    async (_, settings, variable) => {
      const { name, message } = await openHsm(settings()).then(
        () => new Error("it opened"),
        (error: Error) => error,
      );
      expect([name, message.split("\n").length]).toEqual(["SettingsError", 1]);
      expect(message).toMatch(new RegExp(`^Réglage refusé\u00a0: ${variable} `));
      expect(message).not.toContain("654321");
    },
  );

  it("a wrong PIN is tried once, and stops the start with that line and exit code 78", async () => {
    const database = await createTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), "paraphe-hsm-start-"));
    try {
      const service = runMain(
        {
          DATABASE_URL: database.url,
          DATA_DIR: folder,
          TLS: "off",
          PORT: String(await findFreePort()),
          SOFTHSM2_CONF: process.env.SOFTHSM2_CONF ?? "",
          PKCS11_MODULE: token.wrongPin.module,
          PKCS11_TOKEN: token.wrongPin.token,
          PKCS11_PIN: token.wrongPin.pin,
          PKCS11_KEY: token.wrongPin.key,
        },
        folder,
      );
      const code = await service.exit;
      expect([code, service.stderr()]).toEqual([
        78,
        "Réglage refusé\u00a0: PKCS11_PIN est refusé par le jeton, qui n’a pas été essayé deux fois. Exemple\u00a0: PKCS11_PIN=le code du jeton\n",
      ]);
    } finally {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Sessions end as when the token is pulled out. */
function loseSessions({ settings }: SoftHsm): void {
  const library = createRequire(import.meta.url)("pkcs11js") as typeof pkcs11;
  const module = new library.PKCS11();
  module.load(settings.module);
  for (const slot of module.C_GetSlotList(true)) module.C_CloseAllSessions(slot);
}
