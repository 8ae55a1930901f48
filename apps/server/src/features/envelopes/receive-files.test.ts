import { PadesError } from "@paraphe/pades";
import { expect, it } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { SandboxBusyError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { receiveFiles } from "./receive-files.ts";

/** A sandbox that gives what it is told to, and counts. */
function answering(...answers: (Error | "ok")[]) {
  const seen = { asked: 0, atOnce: 0, running: 0 };
  const call = async () => {
    const answer = answers[seen.asked++];
    seen.running += 1;
    seen.atOnce = Math.max(seen.atOnce, seen.running);
    await Promise.resolve();
    seen.running -= 1;
    if (answer instanceof Error) throw answer;
    return { pageCount: 1, pages: [], takenOnLastPage: [], formPlaces: [], covered: [], result: "ok", findings: [] };
  };
  return { seen, access: { sandbox: { call } } as unknown as PdfAccess };
}

const files = ["un.pdf", "deux.pdf", "trois.pdf"].map((name) => ({ name, bytes: makePdf({ text: name }) }));

it("has one file looked at after the other", async () => {
  const { seen, access } = answering("ok", "ok", "ok");
  expect(await receiveFiles(access, files)).toMatchObject({ ok: true });
  expect(seen).toMatchObject({ asked: 3, atOnce: 1 });
});

it("looks at no file after the first that is refused", async () => {
  const { seen, access } = answering("ok", new PadesError("pdf_encrypted", "asks for a password"), "ok");
  expect(await receiveFiles(access, files)).toMatchObject({
    error: { code: "pdf_encrypted", extensions: { file_index: 1, file_name: "deux.pdf" } },
  });
  expect(seen.asked).toBe(2);
});

it("answers that the service is busy when too many files wait", async () => {
  expect(await receiveFiles(answering(new SandboxBusyError()).access, files)).toMatchObject({ error: { code: "service_unavailable" } });
});
