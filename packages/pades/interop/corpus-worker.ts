import { readFileSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import { normalisePdf, rehearse } from "../src/inspect/control-pdf.ts";
import { PadesError } from "../src/pades-error.ts";
import { TEST_FONTS } from "../testing/test-fonts.ts";
import { createTestPki } from "../testing/test-pki.ts";
import { LIFE, liveWithTwo, overlapsItself } from "./signing-rounds.ts";

export type CoreOutcome =
  | {
      readonly outcome: "accepted" | "normalised";
      readonly findings: readonly string[];
      readonly source: string;
      readonly signed: string;
      /** Or the reason that no field fits over the content. */
      readonly covering: { readonly signed: string } | { readonly refused: string };
      readonly overlapsItself: boolean;
    }
  | { readonly outcome: "refused" | "crash"; readonly reason: string };

const { folder, id } = workerData as { folder: string; id: number };
const pki = await createTestPki();
const anchor = `${folder}/root-${id}.der`;
writeFileSync(anchor, pki.root.certificates[0] as Uint8Array);

async function sign(name: string, path: string): Promise<CoreOutcome> {
  const original = new Uint8Array(readFileSync(path));
  let admitted: Awaited<ReturnType<typeof admit>>;
  try {
    admitted = await admit(original);
  } catch (error) {
    if (error instanceof PadesError) return { outcome: "refused", reason: error.code };
    return { outcome: "crash", reason: String(error) };
  }
  try {
    const unfinished = await rehearsed(admitted.bytes);
    if (unfinished !== null) return { outcome: "refused", reason: unfinished };
    const { prepared, signed, archived, renewed } = await liveWithTwo(pki, admitted.bytes);
    const revisions = [admitted.bytes, prepared, ...signed, archived, renewed];
    if (
      !revisions.every(
        (revision, index) =>
          index === 0 || startsWith(revision, revisions[index - 1] as Uint8Array),
      )
    ) {
      return { outcome: "crash", reason: "an earlier revision was rewritten" };
    }
    const [source, last] = [`${folder}/${name}-source.pdf`, `${folder}/${name}-signed.pdf`];
    writeFileSync(source, admitted.bytes);
    writeFileSync(last, renewed);
    const { outcome, findings } = admitted;
    const covering = await signCovering(`${folder}/${name}-covering.pdf`, admitted.bytes);
    return {
      outcome,
      findings,
      source,
      signed: last,
      covering,
      overlapsItself: await overlapsItself(admitted.bytes),
    };
  } catch (error) {
    return { outcome: "crash", reason: `admitted, then ${String(error)}` };
  }
}

async function rehearsed(bytes: Uint8Array): Promise<string | null> {
  const signer = await pki.issue({ commonName: "Répétition" });
  const failure = await rehearse(bytes, {
    fonts: TEST_FONTS,
    signer,
    tsa: pki.tsa,
    root: pki.root.certificates[0] as Uint8Array,
    now: LIFE.signed,
  });
  return failure && `cannot be finished: ${failure.step}, ${failure.reason}`;
}

async function signCovering(
  path: string,
  bytes: Uint8Array,
): Promise<{ signed: string } | { refused: string }> {
  try {
    writeFileSync(path, (await liveWithTwo(pki, bytes, "anywhere")).renewed);
    return { signed: path };
  } catch (error) {
    if (error instanceof PadesError) return { refused: error.code };
    throw error;
  }
}

async function admit(original: Uint8Array) {
  const { result, findings } = await inspectPdf(original);
  const codes = findings.map(({ code }) => code);
  const bytes = await normalisePdf(original, { fonts: TEST_FONTS });
  if (result === "ok" && bytes !== original) throw new Error("a sound file was rewritten");
  if (result === "ok") return { outcome: "accepted" as const, bytes, findings: codes };
  const again = await inspectPdf(bytes);
  if (again.result !== "ok") throw new Error("a normalised file is not sound");
  return { outcome: "normalised" as const, bytes, findings: codes };
}

const startsWith = (whole: Uint8Array, start: Uint8Array): boolean =>
  Buffer.compare(Buffer.from(whole.buffer, whole.byteOffset, start.length), start) === 0;

const answer = (message: unknown): void => {
  parentPort?.postMessage(message);
};
parentPort?.on("message", async ({ name, path }: { name: string; path: string }) =>
  answer(await sign(name, path)),
);
answer({ ready: anchor });
