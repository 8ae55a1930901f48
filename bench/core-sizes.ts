import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type FieldPlacement, type Fonts, prepareFields } from "../packages/pades/src/index.ts";
import { archiveWith } from "../packages/pades/testing/archive.ts";
import { signAs } from "../packages/pades/testing/sign-flow.ts";
import { TEST_NOW, createTestPki } from "../packages/pades/testing/test-pki.ts";
import {
  DRAWN,
  FIELDS,
  KB,
  MB,
  PREFIX,
  TYPED,
  benchSigner,
  fillerPdf,
  signOnce,
} from "./core-stage.ts";
import type { BenchRow } from "./figures.ts";

const MANY = 20;
const AFTER = new Date(TEST_NOW.getTime() + 3_600_000);

/**
 * Bytes added by signer and completion: 8 KB reserved per signature, 4 KB for the document
 * time-stamp.
 */
export async function benchCoreSizes(fonts: Fonts): Promise<BenchRow[]> {
  const signer = await benchSigner();
  const row = (what: string, bytes: number, goalKb: number | null): BenchRow => ({
    part: "core",
    what,
    value: bytes / KB,
    unit: "KB",
    goal: goalKb === null ? null : { atMost: goalKb },
  });
  const prepared = await prepareFields(fillerPdf(50 * KB), {
    namePrefix: PREFIX,
    fonts,
    fields: FIELDS,
  });
  const added = async (mark: typeof DRAWN): Promise<number> =>
    (await signOnce(prepared, { fonts, signer, mark })).length - prepared.length;

  const fields = Array.from({ length: MANY }, (_, index) => fieldsOf(`p${index}`)).flat();
  let bytes = await prepareFields(fillerPdf(50 * KB), { namePrefix: PREFIX, fonts, fields });
  const each: number[] = [];
  for (let index = 0; index < MANY; index += 1) {
    const signed = await signOnce(bytes, {
      fonts,
      signer,
      ownerKey: `p${index}`,
      fields: fieldsOf(`p${index}`),
    });
    each.push(signed.length - bytes.length);
    bytes = signed;
  }
  return [
    row("bytes added by a signer, drawn signature, text and date", await added(DRAWN), 21),
    row("the same with a typed signature, whose letters are embedded", await added(TYPED), null),
    row(`bytes added by the last of ${MANY} signers`, each.at(-1) ?? 0, 21),
    row(
      `the most that one of ${MANY} signers adds beyond another`,
      Math.max(...each) - Math.min(...each),
      0.1,
    ),
    row(
      "completion (security store and document time-stamp), 2 signers",
      await completion(fonts, 2),
      20,
    ),
    row(
      `completion, ${MANY} signers (one certificate and one OCSP answer each)`,
      await completion(fonts, MANY),
      null,
    ),
  ];
}

const fieldsOf = (ownerKey: string): FieldPlacement[] =>
  FIELDS.map((field) => ({ ...field, name: `${field.name}-${ownerKey}`, ownerKey }));

async function completion(fonts: Fonts, people: number): Promise<number> {
  const pki = await createTestPki();
  const owners = Array.from({ length: people }, (_, index) => `p${index}`);
  const fields = owners.flatMap((ownerKey) => fieldsOf(ownerKey).slice(0, 1));
  let bytes = await prepareFields(fillerPdf(50 * KB), { namePrefix: PREFIX, fonts, fields });
  for (const ownerKey of owners) {
    const ownFields = fieldsOf(ownerKey)
      .slice(0, 1)
      .map(({ name, type }) => ({ name, type, value: null }));
    const signer = await pki.issue({ commonName: `Signataire ${ownerKey}` });
    bytes = await signAs(bytes, {
      signer,
      tsa: pki.tsa,
      ownerKey,
      options: { namePrefix: PREFIX, ownFields, fonts, mark: DRAWN },
    });
  }
  return (await archiveWith(pki, bytes, AFTER)).length - bytes.length;
}

const SIZE = 10 * MB;

/** Peak memory of signing ten megabytes above that of a small file, in file sizes. */
export async function benchCoreMemory(fonts: Fonts): Promise<BenchRow> {
  const path = join(tmpdir(), `paraphe-bench-memory-${process.pid}.pdf`);
  await writeFile(
    path,
    await prepareFields(fillerPdf(SIZE), { namePrefix: PREFIX, fonts, fields: FIELDS }),
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "sign-large-file.ts"),
      path,
    ]);
    return {
      part: "core",
      what: "peak memory of signing 10 MB, in files",
      value: Number(stdout) / SIZE,
      unit: "×",
      goal: { atMost: 8 },
    };
  } finally {
    await rm(path);
  }
}
