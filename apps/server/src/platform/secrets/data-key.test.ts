import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { SettingsError } from "../settings/settings.ts";
import { type DataKeyDeps, openSecrets, rotateMasterKey } from "./data-key.ts";
import { createSecretBox } from "./secret-box.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
let database: TestDatabase;
let dataDir: string;
const depsWith = (masterKey: Uint8Array | null): DataKeyDeps => ({
  db: database.db,
  settings: { masterKey, dataDir },
  random,
});
const code = Buffer.from("print:1");
const file = () => join(dataDir, "keys", "master.key");

beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "paraphe-data-key-"));
});
afterEach(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

describe("another master key", () => {
  it("the new master key opens earlier secrets and gives the same codes; the old one opens nothing", async () => {
    const [former, next] = [random(32), random(32)];
    const before = await openSecrets(depsWith(former));
    const wrapped = before.wrap(Buffer.from("clé privée"), "c");
    expect(await rotateMasterKey(depsWith(former), next)).toBeNull();
    const after = await openSecrets(depsWith(next));
    expect(Buffer.from(after.unwrap(wrapped, "c")).toString()).toBe("clé privée");
    expect(after.hmac("print", code)).toEqual(before.hmac("print", code));
    await expect(openSecrets(depsWith(former))).rejects.toThrow(SettingsError);
    expect(() => createSecretBox(next, random).unwrap(wrapped, "c")).toThrow();
  });

  it("the new key is made in the data folder where the old one lies there", async () => {
    const before = await openSecrets(depsWith(null));
    const former = await readFile(file(), "utf8");
    expect(await rotateMasterKey(depsWith(null), null)).toBeNull();
    expect(await readFile(file(), "utf8")).not.toBe(former);
    expect((await openSecrets(depsWith(null))).hmac("print", code)).toEqual(
      before.hmac("print", code),
    );
  });

  it("a new key must be given where the old one is a setting, and must differ", async () => {
    const former = random(32);
    await openSecrets(depsWith(former));
    expect(await rotateMasterKey(depsWith(former), null)).toBe("no_new_master_key");
    expect(await rotateMasterKey(depsWith(former), former)).toBe("same_master_key");
    await openSecrets(depsWith(former));
  });

  it("simultaneous rotations in the data folder leave the file and the database consistent", async () => {
    const before = await openSecrets(depsWith(null));
    const said = await Promise.all([1, 2, 3].map(() => rotateMasterKey(depsWith(null), null)));
    expect(said).toEqual([null, null, null]);
    expect((await openSecrets(depsWith(null))).hmac("print", code)).toEqual(
      before.hmac("print", code),
    );
  });

  it("the second of two simultaneous rotations is refused", async () => {
    const [former, one, other] = [random(32), random(32), random(32)];
    await openSecrets(depsWith(former));
    const said = await Promise.allSettled([
      rotateMasterKey(depsWith(former), one),
      rotateMasterKey(depsWith(former), other),
    ]);
    expect(
      said.filter((answer) => answer.status === "fulfilled" && answer.value === null),
    ).toHaveLength(1);
  });
});

describe("a rotation that is cut", () => {
  it("a cut before the database has the new key leaves the old one valid, and allows another try", async () => {
    const before = await openSecrets(depsWith(null));
    await writeFile(`${file()}.next`, `${Buffer.from(random(32)).toString("base64")}\n`);
    expect((await openSecrets(depsWith(null))).hmac("print", code)).toEqual(
      before.hmac("print", code),
    );
    expect(await rotateMasterKey(depsWith(null), null)).toBeNull();
    expect((await openSecrets(depsWith(null))).hmac("print", code)).toEqual(
      before.hmac("print", code),
    );
  });

  it("the next start finishes a rotation cut before the file's rename", async () => {
    const before = await openSecrets(depsWith(null));
    const former = await readFile(file());
    await rotateMasterKey(depsWith(null), null);
    const next = await readFile(file(), "utf8");
    await rename(file(), `${file()}.next`);
    await writeFile(file(), former);
    expect((await openSecrets(depsWith(null))).hmac("print", code)).toEqual(
      before.hmac("print", code),
    );
    expect(await readFile(file(), "utf8")).toBe(next);
  });
});
