import { expect, test, vi } from "vitest";
import { MAX_FILE_BYTES, takeFiles } from "./verifier-page.tsx";

test("names unreadable and oversized files, and takes the others", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const gone = new File(["%PDF-1.7"], "parti.pdf");
  vi.spyOn(gone, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotFoundError"));
  const large = new File(["%PDF-1.7"], "énorme.pdf");
  vi.spyOn(large, "size", "get").mockReturnValue(MAX_FILE_BYTES + 1);
  const photo = (name: string) => new File([Uint8Array.of(0xff, 0xd8, 0xff), name], name);
  const given = [
    gone,
    large,
    new File(["%PDF-1.7"], "contrat.pdf"),
    new File(["GIF89a"], "logo.gif"),
    photo("nette.jpg"),
    photo("floue.jpg"),
  ];
  const taken = await takeFiles(given, async (bytes) =>
    new TextDecoder().decode(bytes).includes("nette") ? "https://exemple.fr/#a" : null,
  );
  expect(taken.files.map(({ kind, name }) => [kind, name])).toEqual([
    ["pdf", "contrat.pdf"],
    ["photo", "nette.jpg"],
  ]);
  expect(taken.unknown).toEqual(["logo.gif"]);
  expect([taken.code, taken.blurred]).toEqual(["https://exemple.fr/#a", ["floue.jpg"]]);
  expect(taken.unread).toEqual(["parti.pdf", "énorme.pdf"]);
});
