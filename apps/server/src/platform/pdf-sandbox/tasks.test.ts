import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import { loadTasks } from "./tasks.ts";

describe("the sandbox's tasks", () => {
  test("prepare and sign with the product's own fonts, in each of the four hands", async () => {
    const tasks = await loadTasks();
    const field = {
      name: "s",
      ownerKey: "a",
      type: "signature",
      pageNumber: 1,
      x: 0.1,
      y: 0.1,
      width: 0.3,
      height: 0.1,
      label: "",
      tooltip: "",
    } as const;
    const prepared = await tasks.prepareFields(makePdf(), { namePrefix: "e", fields: [field] });
    for (const hand of ["caveat", "la-belle-aurore", "playwrite-fr-moderne", "herr-von-muellerhoff"] as const) {
      const revision = await tasks.prepareSignature(prepared, {
        namePrefix: "e",
        ownerKey: "a",
        ownFields: [{ name: "s", type: "signature", value: null }],
        mark: { kind: "typed", text: "Zoé Œuvrard-d’Été", hand },
        lines: ["Zoé Œuvrard", "Nguyễn Thị Ánh"],
        signingTime: new Date("2026-11-21T14:16:04Z"),
        signerName: "Zoé Œuvrard",
      });
      const [, before, after, rest] = revision.byteRange;
      const digest = createHash("sha256")
        .update(revision.bytes.subarray(0, before))
        .update(revision.bytes.subarray(after, after + rest))
        .digest();
      expect(Buffer.from(revision.digestSha256).equals(digest)).toBe(true);
      expect(after + rest).toBe(revision.bytes.length);
    }
  });
});
