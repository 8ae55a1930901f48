import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FoundSignature, signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { takeTimestamp } from "./read-der.ts";
import { hasTool, runTool } from "./run-tool.ts";

/**
 * What qpdf, openssl and pdfsig find wrong, `rootPem` as the only anchor; a missing tool is left
 * out. `signers`: the people who signed, in order.
 */
export function toolComplaints(
  pdf: Uint8Array,
  { rootPem, signers }: { readonly rootPem: string; readonly signers: readonly string[] },
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-tools-"));
  const write = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const ask = (tool: string, words: string) => {
    const { code, output } = runTool(tool, words.split(" "));
    return code === 0 ? [] : [`${tool}: ${output}`];
  };
  const askOpenssl = ({ contents, signedBytes }: FoundSignature): string[] => {
    const root = write("root.pem", rootPem);
    const { signatureValue, token } = takeTimestamp(contents);
    if (!token) return ["openssl: no time-stamp"];
    const digest = createHash("sha256").update(signatureValue).digest("hex");
    const files = `-in ${write("signature.der", contents)} -content ${write("signed.bin", signedBytes)}`;
    return [
      ...ask(
        "openssl",
        `cms -verify -binary -cades -inform DER -purpose any -out /dev/null ${files} -CAfile ${root}`,
      ),
      ...ask(
        "openssl",
        `ts -verify -token_in -in ${write("token.der", token)} -digest ${digest} -CAfile ${root}`,
      ),
    ];
  };
  try {
    const file = write("signed.pdf", pdf);
    const people = signaturesIn(pdf).filter(({ subFilter }) => subFilter === DETACHED);
    return [
      ...(hasTool("qpdf") ? ask("qpdf", `--check ${file}`) : []),
      ...(hasTool("openssl") ? people.flatMap(askOpenssl) : []),
      ...(hasTool("pdfsig") ? askPdfsig(file, signers) : []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const DETACHED = "ETSI.CAdES.detached";

function askPdfsig(file: string, signers: readonly string[]): string[] {
  const { output } = runTool("pdfsig", [file]);
  const found = output
    .split(/^Signature #\d+:/m)
    .slice(1)
    .filter((block) => block.includes(`Signature Type: ${DETACHED}`))
    .map((block) =>
      block.includes("Signature Validation: Signature is Valid.")
        ? (/Signer Certificate Common Name: (.*)/.exec(block)?.[1]?.trim() ?? "")
        : "not valid",
    );
  return found.join("\n") === signers.join("\n") ? [] : [`pdfsig: ${output}`];
}
