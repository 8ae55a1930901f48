import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeTimestamp } from "./read-der.ts";
import { hasTool, runTool } from "./run-tool.ts";
import { signaturesIn } from "../../apps/cli/src/store/signatures-in.ts";

export type Judgement = {
  /** `pdfsig`'s words on each signature; null without the tool. */
  readonly pdfsig:
    | readonly { readonly signer: string; readonly valid: boolean; readonly type: string }[]
    | null;
  /** `qpdf --check`; null without the tool. */
  readonly qpdfClean: boolean | null;
  /** `openssl cms -verify` and `openssl ts -verify` of each person; null without the tool. */
  readonly openssl:
    | readonly { readonly cms: boolean; readonly timestamp: boolean; readonly said: string }[]
    | null;
};

/** Verdicts of other makers' tools, the service's root as the only anchor. */
export function judgeSignedPdf(pdf: Uint8Array, rootPem: string): Judgement {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-judge-"));
  const write = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  try {
    const file = write("signed.pdf", pdf);
    const root = write("root.pem", rootPem);
    return {
      pdfsig: hasTool("pdfsig") ? askPdfsig(file) : null,
      qpdfClean: hasTool("qpdf") ? runTool("qpdf", ["--check", file]).code === 0 : null,
      openssl: hasTool("openssl")
        ? signaturesIn(pdf)
            .filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached")
            .map(({ contents, signedBytes }) => {
              const cms = runTool("openssl", [
                "cms",
                "-verify",
                "-binary",
                "-cades",
                "-inform",
                "DER",
                "-purpose",
                "any",
                "-out",
                "/dev/null",
                "-in",
                write("signature.der", contents),
                "-content",
                write("signed.bin", signedBytes),
                "-CAfile",
                root,
              ]);
              const { signatureValue, token } = takeTimestamp(contents);
              const digest = createHash("sha256").update(signatureValue).digest("hex");
              const timestamp = token
                ? runTool("openssl", [
                    "ts",
                    "-verify",
                    "-token_in",
                    "-in",
                    write("token.der", token),
                    "-digest",
                    digest,
                    "-CAfile",
                    root,
                  ])
                : { code: 1, output: "no time-stamp" };
              return {
                cms: cms.code === 0,
                timestamp: timestamp.code === 0,
                said: cms.output + timestamp.output,
              };
            })
        : null,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function askPdfsig(file: string): Judgement["pdfsig"] {
  const { output } = runTool("pdfsig", [file]);
  return output
    .split(/^Signature #\d+:/m)
    .slice(1)
    .map((block) => ({
      signer: /Signer Certificate Common Name: (.*)/.exec(block)?.[1]?.trim() ?? "",
      valid: /Signature Validation: Signature is Valid\./.test(block),
      type: /Signature Type: (.*)/.exec(block)?.[1]?.trim() ?? "",
    }));
}
