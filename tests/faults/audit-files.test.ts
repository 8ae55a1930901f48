import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageFolder } from "../../apps/server/testing/stored-file.ts";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";
import { type AuditStage, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
beforeAll(async () => {
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

const ANOTHER =
  /le fichier du document [0-9a-f-]{36}\u00a0: ses lignes ne disent pas ce que dit l’historique/;

describe("finds, in the files,", () => {
  test.each([
    [
      "a flipped byte",
      (bytes: Buffer) => bytes.fill((bytes[700] ?? 0) ^ 1, 700, 701),
      "n’a plus l’empreinte sous laquelle il a été conservé",
    ],
    [
      "a shortened file",
      (bytes: Buffer) => bytes.subarray(0, -1),
      "n’a plus l’empreinte sous laquelle il a été conservé",
    ],
    ["a file that is gone", null, "le fichier n’est plus là"],
  ])("%s", async (_what, alter, said) => {
    const kept = await readFile(stage.filePath);
    await rm(stage.filePath);
    if (alter !== null) await writeFile(stage.filePath, alter(Buffer.from(kept)));
    const { code, lines } = await runAudit(stage.service.platform, ["check"]);
    expect(lines.join("\n")).toContain(said);
    expect(code).toBe(1);
    await writeFile(stage.filePath, kept);
  });

  test.each([
    ["to another file, sound in itself", "o.number = 0"],
    ["to an earlier state of the same document, which the journal named too", "o.kind = 'signed'"],
    ["to the state that was sent", "o.kind = 'prepared'"],
  ])("a row of a completed document that was led %s", async (_what, which) => {
    const { code, lines } = await stage.auditAfter([
      `update document_revisions r set blob_sha256 = o.blob_sha256, size = o.size from document_revisions o, documents d
        where d.id = :document and r.document_id = d.id and r.number = d.current_revision and o.document_id = d.id and ${which}`,
    ]);
    expect(lines.join("\n")).toMatch(ANOTHER);
    expect(code).toBe(1);
  });

  test("a document that waits for its signatures, led to another file or back to what was uploaded", async () => {
    for (const harm of [
      `update document_revisions r set blob_sha256 = o.blob_sha256 from document_revisions o, documents d
        where d.envelope_id = :other and r.document_id = d.id and r.number = d.current_revision and o.document_id = :document and o.number = 1`,
      "update documents set current_revision = 0 where envelope_id = :other",
    ]) {
      const { code, lines } = await stage.auditAfter([harm]);
      expect(lines.join("\n")).toMatch(ANOTHER);
      expect(code).toBe(1);
    }
  });

  test("any other file that is altered, and one that a row needs and that is gone", async () => {
    const { files, owner, settings } = stage.service.platform;
    const picture = Buffer.from(await files.put(new TextEncoder().encode("portrait")));
    const name = picture.toString("hex");
    await owner.updateTable("users").set({ avatar_sha256: picture }).execute();
    const path = join(storageFolder(settings), name.slice(0, 2), name.slice(2, 4), name);
    await writeFile(path, "autre portrait");
    expect((await runAudit(stage.service.platform, ["check"])).lines.join("\n")).toContain(
      `- ${name}\u00a0: le fichier n’a plus l’empreinte`,
    );
    await rm(path);
    expect((await runAudit(stage.service.platform, ["check"])).lines.join("\n")).toContain(
      `- ${name}\u00a0: le fichier n’est plus là`,
    );
    await owner.updateTable("users").set({ avatar_sha256: null }).execute();
    expect(await runAudit(stage.service.platform, ["check"])).toMatchObject({ code: 0 });
  });
});
