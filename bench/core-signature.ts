import { createHash, generateKeyPairSync, sign as rawSign } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFonts } from "../apps/server/src/platform/fonts/load-fonts.ts";
import {
  completeSignature,
  createRoot,
  createSignature,
  createTimestampToken,
  type FieldPlacement,
  type Fonts,
  issueCertificate,
  type Mark,
  prepareFields,
  prepareSignature,
  type Signer,
  validate,
} from "../packages/pades/src/index.ts";
import { realLargeFiles, realSmallFiles, samplePdf } from "./sample-files.ts";
import type { BenchRow } from "./figures.ts";
import { loadTasks } from "../apps/server/src/platform/pdf-sandbox/tasks.ts";
import { archiveWith, rootList } from "../packages/pades/testing/archive.ts";
import { signAs } from "../packages/pades/testing/sign-flow.ts";
import { TEST_NOW, createTestPki, trusting } from "../packages/pades/testing/test-pki.ts";
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { keySigner, makeKey } from "../apps/server/src/features/trust/make-authority.ts";

const PREFIX = "bench";
const KB = 1024;
const MB = 1024 * KB;

const place = (name: string, type: FieldPlacement["type"], y: number): FieldPlacement => ({
  name,
  ownerKey: "a",
  type,
  pageNumber: 1,
  x: 0.1,
  y,
  width: 0.4,
  height: 0.08,
  label: name,
  tooltip: name,
});
const FIELDS = [place("s", "signature", 0.8), place("t", "text", 0.1), place("d", "date", 0.3)];
const DRAWN: Mark = {
  kind: "strokes",
  strokes: [
    Array.from(
      { length: 90 },
      (_, index) => [index / 40, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
    ),
  ],
};
const TYPED: Mark = { kind: "typed", text: "Zoé Œuvrard", hand: "caveat" };

function streamedSha256(pieces: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return new Uint8Array(hash.digest());
}

type SignRequest = {
  readonly fonts: Fonts;
  readonly signer: Signer;
  readonly mark?: Mark;
  readonly ownerKey?: string;
  readonly fields?: readonly FieldPlacement[];
};

async function signOnce(prepared: Uint8Array, request: SignRequest): Promise<Uint8Array> {
  const { fonts, signer, mark = DRAWN, ownerKey = "a", fields = FIELDS } = request;
  const revision = await prepareSignature(prepared, {
    namePrefix: PREFIX,
    ownerKey,
    ownFields: fields.map(({ name, type }) => ({
      name,
      type,
      value: type === "signature" ? null : "Lu et approuvé",
    })),
    mark,
    lines: [
      "Zoé Œuvrard",
      "Signé électroniquement le 21/11/2026 à 15:16:04 (UTC+1)",
      "0198f3c2-7a10-7c3e-9b1a-4f2e6d8c0a11",
    ],
    fonts,
    signingTime: new Date(),
    signerName: "Zoé Œuvrard",
    sha256: streamedSha256,
    deflate: (data) => deflateSync(data),
  });
  return completeSignature(
    revision,
    await createSignature({ signer, digestSha256: revision.digestSha256 }),
  );
}

/** A signer with a key as the service makes it. */
async function benchSigner(): Promise<Signer> {
  const [root, leaf] = [makeKey("P-256"), makeKey("P-256")];
  const validity = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) };
  const common = {
    subject: { commonName: "Banc d’essai" },
    serialNumber: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    ...validity,
  };
  const rootDer = await createRoot(keySigner(root.privateKey, []), {
    ...common,
    subjectPublicKey: root.subjectPublicKey,
  });
  const issuer = keySigner(root.privateKey, [rootDer]);
  const leafDer = await issueCertificate(issuer, {
    ...common,
    profile: "signer",
    subjectPublicKey: leaf.subjectPublicKey,
  });
  return keySigner(leaf.privateKey, [leafDer]);
}

function fillerPdf(sizeBytes: number): Uint8Array {
  const noise = new Uint8Array(sizeBytes - 700);
  for (let at = 0; at < noise.length; at += 65_536)
    crypto.getRandomValues(noise.subarray(at, Math.min(noise.length, at + 65_536)));
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (...pieces: readonly (string | Uint8Array)[]): void => {
    for (const piece of pieces) {
      const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece);
      parts.push(bytes);
      length += bytes.length;
    }
  };
  const object = (...body: readonly (string | Uint8Array)[]): void => {
    offsets.push(length);
    add(`${offsets.length} 0 obj\n`, ...body, "\nendobj\n");
  };
  object("<</Type/Catalog/Pages 2 0 R>>");
  object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
  object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</N 4 0 R>>>>>>");
  object(
    `<</Type/XObject/Subtype/Form/BBox[0 0 0 0]/Length ${noise.length}>>\nstream\n`,
    noise,
    "\nendstream",
  );
  const start = length;
  const entries = offsets
    .map((offset) => `${String(offset).padStart(10, "0")} 00000 n\r\n`)
    .join("");
  add(
    `xref\n0 5\n0000000000 65535 f\r\n${entries}trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  );
  return new Uint8Array(Buffer.concat(parts));
}

const ROUNDS = { small: 600, large: 25, token: 200 } as const;
const WARM_UP = 20;

/**
 * Times a B-B signature with appearance and values at two sizes, beside the run's floor; gives
 * bytes, memory and one time-stamp token too.
 */
export async function benchCoreSignature(): Promise<BenchRow[]> {
  const [fonts, signer] = await Promise.all([loadFonts(), benchSigner()]);
  const rows: BenchRow[] = [];
  const small = [{ name: "filler", bytes: fillerPdf(50 * KB) }, ...(await realSmallFiles())].map(
    (file) => ({
      what: `50 KB (${file.name})`,
      bytes: file.bytes,
      rounds: ROUNDS.small,
      goal: 8,
    }),
  );
  const large = [{ name: "filler", bytes: fillerPdf(10 * MB) }, ...(await realLargeFiles())].map(
    (file) => ({
      what: `10 MB (${file.name})`,
      bytes: file.bytes,
      rounds: ROUNDS.large,
      goal: 2.5,
    }),
  );
  for (const { what: name, bytes, rounds, goal } of [...small, ...large]) {
    const prepared = await prepareFields(bytes, { namePrefix: PREFIX, fonts, fields: FIELDS });
    const [floorMs, signMs] = await medians(rounds, [
      async () => floor(prepared),
      async () => writeOnce(await signOnce(prepared, { fonts, signer })),
    ]);
    rows.push(
      { part: "core", what: `B-B signature, ${name}, CPU`, value: signMs, unit: "ms", goal: null },
      {
        part: "core",
        what: `floor (SHA-256, one raw P-256 signature, one write), ${name}, CPU`,
        value: floorMs,
        unit: "ms",
        goal: null,
      },
      {
        part: "core",
        what: `B-B signature against the floor, ${name}`,
        value: signMs / floorMs,
        unit: "×",
        goal: { atMost: goal },
      },
    );
  }
  rows.push(
    await benchCoreMemory(fonts),
    ...(await benchCoreSizes(fonts)),
    ...(await benchCoreChecks()),
  );
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS.token; round += 1) await token(signer, round);
  const { user, system } = process.cpuUsage(before);
  rows.push({
    part: "core",
    what: "time-stamp token (P-256), CPU",
    value: (user + system) / 1000 / ROUNDS.token,
    unit: "ms",
    goal: { atMost: 1 },
  });
  return rows;
}

const rawKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

function floor(bytes: Uint8Array): void {
  rawSign("sha256", createHash("sha256").update(bytes).digest(), rawKey);
  writeOnce(bytes);
}

function writeOnce(bytes: Uint8Array): void {
  const path = join(tmpdir(), `paraphe-bench-${process.pid}.pdf`);
  const file = openSync(path, "w");
  writeSync(file, bytes);
  closeSync(file);
  unlinkSync(path);
}

/** By turns, so that other load affects both alike. */
async function medians(
  rounds: number,
  work: readonly [() => Promise<void>, () => Promise<void>],
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    for (const [index, run] of work.entries()) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP) times[index]?.push((user + system) / 1_000);
    }
  }
  const [left, right] = times.map(
    (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0,
  );
  return [left ?? 0, right ?? 0];
}

async function token(signer: Signer, serial: number): Promise<void> {
  await createTimestampToken(
    {
      hashAlgorithm: "SHA-256",
      imprint: new Uint8Array(32),
      nonce: null,
      certificateRequested: true,
    },
    {
      signer,
      policyOid: "1.3.6.1.4.1.32473.1",
      serialNumber: Uint8Array.of(1, serial >> 8, serial & 255),
      now: new Date(),
    },
  );
}

const FILES = 60;
/** Rounds over all files; a single file gets as many checks. */
const CHECK_ROUNDS = 10;
const HOUR_MS = 3_600_000;

/** Besides its signature: 50 KB with and without rehearsal, and B-LTA. All files differ. */
async function benchCoreChecks(): Promise<BenchRow[]> {
  const tasks = await loadTasks();
  const pdf = await samplePdf();
  const uploads = Array.from(
    { length: FILES },
    (_, index) => new Uint8Array(Buffer.concat([pdf, Buffer.from(`%${index}\n`)])),
  );
  const inspectMs = await medianOf(uploads, (bytes) => tasks.inspect(bytes));
  const controlMs = await medianOf(uploads, (bytes) => tasks.control(bytes));
  const [archived, trust] = await archivedFiles(uploads);
  const now = new Date(TEST_NOW.getTime() + 2 * HOUR_MS);
  const check = (bytes: Uint8Array) => validate(bytes, { evidence: trust, now });
  const validateMs = await medianOf(archived, check);
  const againMs = await medianOf(archived.slice(0, 1), check);
  const row = (what: string, value: number, goal: number | null): BenchRow => ({
    part: "core",
    what,
    value,
    unit: "ms",
    goal: goal === null ? null : { atMost: goal },
  });
  return [
    row("inspection of an upload of 50 KB, CPU", inspectMs, null),
    row("its control, rehearsal included", controlMs, 60),
    row("of which the rehearsal", controlMs - inspectMs, 15),
    row("check of a B-LTA file of 50 KB, one signer, its signatures new, CPU", validateMs, 3),
    row("check of the same file again", againMs, 3),
  ];
}

async function archivedFiles(uploads: readonly Uint8Array[]) {
  const [pki, fonts] = await Promise.all([createTestPki(), loadFonts()]);
  const fields = FIELDS.slice(0, 1);
  const archived: Uint8Array[] = [];
  const archivedAt = new Date(TEST_NOW.getTime() + HOUR_MS);
  // All files share the revocation list of the root.
  const list = await rootList(pki, archivedAt);
  for (const bytes of uploads) {
    const signer = await pki.issue({ commonName: "Banc d’essai" });
    const prepared = await prepareFields(bytes, { namePrefix: PREFIX, fonts, fields });
    const ownFields = fields.map(({ name, type }) => ({ name, type, value: null }));
    const options = { namePrefix: PREFIX, ownFields, fonts, mark: DRAWN };
    const signed = await signAs(prepared, { signer, tsa: pki.tsa, ownerKey: "a", options });
    archived.push(await archiveWith(pki, signed, archivedAt, list));
  }
  return [archived, trusting(pki.root.certificates)] as const;
}

/** CPU time of all threads, which other load affects least. */
async function medianOf(
  files: readonly Uint8Array[],
  work: (bytes: Uint8Array) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < (CHECK_ROUNDS * FILES) / files.length; round += 1)
    for (const bytes of files) {
      const before = process.cpuUsage();
      await work(bytes);
      const { user, system } = process.cpuUsage(before);
      if (round > 1) times.push((user + system) / 1_000);
    }
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0;
}

const MANY = 20;
const AFTER = new Date(TEST_NOW.getTime() + 3_600_000);

/** Per signer and completion: 8 KB reserved a signature, 4 KB the document time-stamp. */
async function benchCoreSizes(fonts: Fonts): Promise<BenchRow[]> {
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

/** Peak memory of ten megabytes above a small file's, in file sizes. */
async function benchCoreMemory(fonts: Fonts): Promise<BenchRow> {
  const path = join(tmpdir(), `paraphe-bench-memory-${process.pid}.pdf`);
  await writeFile(
    path,
    await prepareFields(fillerPdf(SIZE), { namePrefix: PREFIX, fonts, fields: FIELDS }),
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, path]);
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

/** In a process of its own: signs a small file, then the one named; prints the peak's growth in bytes. */
async function measurePeak(path: string): Promise<void> {
  const [fonts, signer] = await Promise.all([loadFonts(), benchSigner()]);
  const small = await prepareFields(fillerPdf(50 * KB), {
    namePrefix: PREFIX,
    fonts,
    fields: FIELDS,
  });
  for (let round = 0; round < 3; round += 1) await signOnce(small, { fonts, signer });
  const status = (key: string): number =>
    Number(
      new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0,
    ) * KB;
  // Resets the peak. Source: proc(5), clear_refs.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = status("VmRSS");
  await signOnce(new Uint8Array(readFileSync(path)), { fonts, signer });
  process.stdout.write(String(status("VmHWM") - before));
}

if (import.meta.main) await measurePeak(process.argv[2] ?? "");
