import { expect, test, vi } from "vitest";
import { MAX_FILE_BYTES, takeFiles } from "./take-files.ts";

test("a file that cannot be read, or is too large, is told by its name, and the others are taken", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const gone = new File(["%PDF-1.7"], "parti.pdf");
  vi.spyOn(gone, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotFoundError"));
  const large = new File(["%PDF-1.7"], "énorme.pdf");
  vi.spyOn(large, "size", "get").mockReturnValue(MAX_FILE_BYTES + 1);
  const taken = await takeFiles([gone, large, new File(["%PDF-1.7"], "contrat.pdf"), new File(["GIF89a"], "logo.gif")]);
  expect(taken.files.map(({ kind, name }) => [kind, name])).toEqual([["pdf", "contrat.pdf"]]);
  expect(taken.unknown).toEqual(["logo.gif"]);
  expect(taken.unread).toEqual(["parti.pdf", "énorme.pdf"]);
});
