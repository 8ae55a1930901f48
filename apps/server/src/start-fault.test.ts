import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startFault } from "./start-fault.ts";

/** Makes errors as Node does: root never sees the first two. */
const systemError = (code: string, path: string) =>
  Object.assign(new Error(`${code}: open '${path}'`), { code, path });

test.each(["EACCES", "EPERM"])(
  "what is another user's in DATA_DIR (%s) stops the start in one line, code 78, whoever met it",
  (code) => {
    const met = systemError(code, "/var/lib/paraphe/keys/master.key");
    const line =
      "Démarrage impossible\u00a0: /var/lib/paraphe/keys/master.key appartient à un autre utilisateur que celui qui lance Paraphe, ou ses droits l’interdisent. Exemple\u00a0: chown -R paraphe /var/lib/paraphe/keys/master.key";
    expect(startFault(met)).toEqual({ line, exitCode: 78 });
    expect(startFault(new Error("The keys could not be read", { cause: met }))).toEqual({
      line,
      exitCode: 78,
    });
  },
);

test("a full disk stops the start in one line, code 1, whether a file, the database or initdb met it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-full-"));
  await symlink("/dev/full", join(folder, "plein"));
  const ofFile: unknown = await writeFile(join(folder, "plein"), "x").catch(
    (error: unknown) => error,
  );
  await rm(folder, { recursive: true });
  const ofMaker: unknown = await promisify(execFile)("/bin/cp", ["/etc/passwd", "/dev/full"], {
    env: { LC_ALL: "C" },
  }).catch((error: unknown) => error);
  for (const error of [
    ofFile,
    ofMaker,
    Object.assign(new Error("could not extend file"), { code: "53100" }),
  ])
    expect(startFault(error)).toEqual({
      line: expect.stringMatching(/^Démarrage impossible\u00a0: le disque est plein\. [^\n]+$/),
      exitCode: 1,
    });
});

test.each(["08P01", "26000", "42P05"])(
  "a pooler that does not do what it must (%s) stops the start in one line, code 1",
  (code) => {
    expect(
      startFault(Object.assign(new Error("unsupported startup parameter: lock_timeout"), { code })),
    ).toEqual({
      line: expect.stringMatching(
        /^Démarrage impossible\u00a0: le répartiteur de connexions [^\n]+pooler\.md[^\n]+$/,
      ),
      exitCode: 1,
    });
  },
);

test("any other error keeps its stack", () => {
  expect(startFault(new TypeError("x is not a function", { cause: new Error("why") }))).toBeNull();
  expect(startFault("refused")).toBeNull();
});

test("systemd and the image start the service with what `npm start` gives it", async () => {
  const root = join(import.meta.dirname, "../../..");
  const read = (path: string) => readFile(join(root, path), "utf8");
  const given = (text: string) =>
    (text.match(/(?:--[a-z-]+|MALLOC_\w+)=\d+(?=["\s])/g) ?? []).toSorted();
  const { scripts } = JSON.parse(await read("package.json")) as { scripts: { start: string } };
  const expected = given(scripts.start);
  expect(expected.length).toBeGreaterThan(0);
  for (const unit of ["paraphe.service", "paraphe-worker@.service"])
    expect(given(await read(`deploy/systemd/${unit}`)), unit).toEqual(expected);
  expect(given(await read("Containerfile"))).toEqual(expected);
});
