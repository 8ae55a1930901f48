import { expect, test } from "vitest";
import { kindOf, type TakenFile, withFiles } from "./result-view.tsx";

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (kind: TakenFile["kind"], name: string): TakenFile => ({
  kind,
  name,
  bytes: bytes(name),
});

test.each([
  ["a PDF", bytes("%PDF-1.7"), "pdf"],
  ["a PDF behind a few bytes", bytes("\n\n%PDF-1.7"), "pdf"],
  ["a proof", bytes('{\n  "$schema"'), "proof"],
  ["a set of keys", bytes('{\n  "keys": [{"kty": "EC"}]\n}'), "keys"],
  ["a certificate as text", bytes("-----BEGIN CERTIFICATE-----\n"), "certificate"],
  ["a certificate as DER", Uint8Array.of(0x30, 0x82, 2, 1), "certificate"],
  ["a photograph", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), "photo"],
  ["a picture of a screen", bytes("\u0089PNG\r\n").slice(1).with(0, 0x89), "photo"],
  ["a telephone's picture", bytes("\0\0\0\u0018ftypheic"), "photo"],
  ["the beginning of a picture", Uint8Array.of(0x89, 0x50), null],
  ["nothing", new Uint8Array(), null],
])("recognises %s by its content", (_what, content, kind) => {
  expect(kindOf(content)).toBe(kind);
});

test("retains the last proof, evidence PDF and photograph, and each file once", () => {
  const before = withFiles(
    [],
    [
      file("proof", "preuve.json"),
      file("photo", "1.jpg"),
      file("pdf", "a.pdf"),
      file("photo", "2.jpg"),
    ],
  );
  const all = withFiles(before, [
    file("pdf", "a.pdf"),
    file("pdf", "b.pdf"),
    file("proof", "preuve (1).json"),
    file("certificate", "ca.pem"),
    file("evidence", "dossier.pdf"),
    file("evidence", "dossier (1).pdf"),
  ]);
  expect(all.map(({ name }) => name)).toEqual([
    "2.jpg",
    "a.pdf",
    "b.pdf",
    "preuve (1).json",
    "ca.pem",
    "dossier (1).pdf",
  ]);
});
