import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as pkcs11 from "pkcs11js";
import type { Pkcs11Settings } from "../src/platform/settings/settings.ts";

const MODULES = [
  "/usr/lib/softhsm/libsofthsm2.so",
  "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
  "/usr/local/lib/softhsm/libsofthsm2.so",
];
const MODULE = MODULES.find((path) => existsSync(path));

/** Why these tests cannot run, or null. An error in CI. */
export const SOFT_HSM_MISSING: string | null = missing();
if (SOFT_HSM_MISSING !== null) {
  if (process.env.CI) throw new Error(SOFT_HSM_MISSING);
  console.warn(`skipped: ${SOFT_HSM_MISSING}`);
}

function missing(): string | null {
  if (MODULE === undefined) return "SoftHSM2 is not installed (Debian package softhsm2)";
  try {
    createRequire(import.meta.url)("pkcs11js");
    return null;
  } catch {
    return "pkcs11js could not be compiled here";
  }
}

export type SoftHsm = {
  readonly settings: Pkcs11Settings;
  readonly wrongPin: Pkcs11Settings;
  readonly rsa: Pkcs11Settings;
  close(): Promise<void>;
};

/** A software token with keys `cachet` (P-256), `cachet-p384` and `cachet-rsa`; one per process. */
export async function openSoftHsm(): Promise<SoftHsm> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-hsm-"));
  await mkdir(join(folder, "tokens"));
  const config = join(folder, "softhsm2.conf");
  await writeFile(
    config,
    `directories.tokendir = ${join(folder, "tokens")}\nobjectstore.backend = file\nlog.level = ERROR\n`,
  );
  process.env.SOFTHSM2_CONF = config;
  execFileSync(
    "softhsm2-util",
    ["--init-token", "--free", "--label", "paraphe", "--pin", "123456", "--so-pin", "12345678"],
    {
      env: { ...process.env, SOFTHSM2_CONF: config },
      stdio: "ignore",
    },
  );
  const settings = { module: MODULE ?? "", token: "paraphe", pin: "123456", key: "cachet" };
  makeKeys(settings);
  return {
    settings,
    wrongPin: { ...settings, pin: "654321" },
    rsa: { ...settings, key: "cachet-rsa" },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function makeKeys({ module: path, pin }: Pkcs11Settings): void {
  const library = createRequire(import.meta.url)("pkcs11js") as typeof pkcs11;
  const module = new library.PKCS11();
  module.load(path);
  module.C_Initialize();
  const slot = module
    .C_GetSlotList(true)
    .find((candidate) => module.C_GetTokenInfo(candidate).label.trim() === "paraphe");
  const session = module.C_OpenSession(
    slot as Buffer,
    library.CKF_SERIAL_SESSION | library.CKF_RW_SESSION,
  );
  module.C_Login(session, library.CKU_USER, pin);
  const pair = (
    label: string,
    mechanism: number,
    more: { type: number; value: Buffer | number }[],
  ) => {
    const common = [
      { type: library.CKA_LABEL, value: label },
      { type: library.CKA_TOKEN, value: true },
    ];
    module.C_GenerateKeyPair(
      session,
      { mechanism },
      [...common, { type: library.CKA_VERIFY, value: true }, ...more],
      [
        ...common,
        { type: library.CKA_SIGN, value: true },
        { type: library.CKA_PRIVATE, value: true },
        { type: library.CKA_SENSITIVE, value: true },
      ],
    );
  };
  pair("cachet", library.CKM_EC_KEY_PAIR_GEN, [
    { type: library.CKA_EC_PARAMS, value: Buffer.from("06082a8648ce3d030107", "hex") },
  ]);
  pair("cachet-p384", library.CKM_EC_KEY_PAIR_GEN, [
    { type: library.CKA_EC_PARAMS, value: Buffer.from("06052b81040022", "hex") },
  ]);
  pair("cachet-rsa", library.CKM_RSA_PKCS_KEY_PAIR_GEN, [
    { type: library.CKA_MODULUS_BITS, value: 2048 },
    { type: library.CKA_PUBLIC_EXPONENT, value: Buffer.from([1, 0, 1]) },
  ]);
  module.C_CloseSession(session);
  module.C_Finalize();
}
