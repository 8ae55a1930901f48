import { readFile } from "node:fs/promises";
import { validate } from "@paraphe/pades";

/**
 * Validates a file against trusted certificates: `node examples/validate.ts signed.pdf
 * signed.pdf.root.der [2028-11-21]`.
 * Nothing is fetched: the caller gathers what the file does not carry.
 */
const [path, rootPath, date] = process.argv.slice(2);
if (!path || !rootPath) {
  console.error("usage: node examples/validate.ts signed.pdf root.der [date]");
  process.exit(64);
}
const root = new Uint8Array(await readFile(rootPath));
const report = await validate(new Uint8Array(await readFile(path)), {
  evidence: { trustAnchors: { signers: [root], timestamps: [root] } },
  // The time-stamps of a file made just now lie in this second.
  now: date ? new Date(date) : new Date(Date.now() + 1_000),
});
for (const {
  signerName,
  kind,
  indication,
  subIndication,
  level,
  laterChanges,
  warnings,
} of report.signatures) {
  console.log(
    [
      signerName ?? kind,
      indication,
      subIndication ?? "-",
      level ?? "-",
      laterChanges,
      ...warnings,
    ].join(" | "),
  );
}
for (const problem of report.problems) console.log(problem);
console.log(report.indication);
