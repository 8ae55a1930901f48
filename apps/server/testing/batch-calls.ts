import type { TestApp } from "./app.ts";
import { type Answer, multipart, type TestBrowser } from "./browser.ts";
import { makePdf } from "./pdf.ts";

export const BATCH_SIGN = "/api/signature/batch-sign/";
export const BATCH_JOBS = "/api/signature/batch-jobs/";
export const BATCH_PLACE = { page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 };
export const BATCH_MARK = { kind: "typed", text: "Camille Roux", font: "caveat" };

export type BatchFile = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly field?: string;
};

export function batchPdf(text: string, name = `${text}.pdf`): BatchFile {
  return { name, bytes: makePdf({ text }) };
}

export function batchFields(fields: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(
      ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
    ),
  );
}

/** `fields` come beside a place and a mark; `key` is the idempotency key. */
export function sendBatch(
  browser: TestBrowser,
  files: readonly BatchFile[],
  { fields = {}, key }: { readonly fields?: object; readonly key?: string | undefined } = {},
): Promise<Answer> {
  const form = multipart(
    batchFields({ placement: BATCH_PLACE, signature: BATCH_MARK, ...fields }),
    files.map(({ name, bytes, field = "files" }) => ({
      field,
      name,
      bytes,
      type: "application/pdf",
    })),
  );
  const headers = { ...form.headers, ...(key === undefined ? {} : { "idempotency-key": key }) };
  return browser.post(BATCH_SIGN, form.body, { headers });
}

export async function signBatch(
  test: TestApp,
  browser: TestBrowser,
  files: readonly BatchFile[],
  fields: object = {},
) {
  const sent = await sendBatch(browser, files, { fields });
  if (sent.status !== 202) throw new Error(`the batch was refused: ${sent.text}`);
  await test.settle({ deferred: "run" });
  return (await browser.get(`${BATCH_JOBS}${sent.body.id}/`)).body;
}
