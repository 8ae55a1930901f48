import {
  askOpenssl,
  dssComplaints,
  harmedSignatures,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "../../packages/pades/interop/complaints.ts";
import {
  openDss,
  openPyHanko,
  unavailableValidators,
} from "../../packages/pades/interop/validators.ts";
import { missingTool, temporaryFolder } from "../../packages/pades/interop/tool.ts";

/** A signed and archived file, with the expected findings. */
export type ServiceFile = {
  readonly name: string;
  readonly pdf: Uint8Array;
  /** Prefix of the service's field names. */
  readonly prefix: string;
  readonly signatures: number;
  readonly timestamps: number;
  /** The only trusted certificates (DER). */
  readonly anchors: readonly Uint8Array[];
  /** While the signers' certificates are in force: openssl knows no proof of existence. */
  readonly at: Date;
  /** The upload that others had signed: their verdicts must not change. */
  readonly signedElsewhere?: Uint8Array;
};

export type Validators = {
  /** What DSS, pyHanko, pdfsig, qpdf and openssl find wrong. */
  complaintsAbout(file: ServiceFile): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): void;
};

export const NO_COMPLAINT = { dss: [], pyHanko: [], pdfsig: [], qpdf: [], openssl: [] } as const;

export const missingValidators = (): string | false =>
  missingTool("qpdf") || missingTool("pdfsig") || missingTool("openssl") || unavailableValidators();

/** Opens each validator once a test file. */
export function openValidators(): Validators {
  const folder = temporaryFolder();
  const [dss, pyHanko] = [openDss(), openPyHanko()];
  return {
    async complaintsAbout({ name, pdf, anchors, at, signedElsewhere, ...expected }) {
      const trusted = anchors.map((der, index) => folder.write(`${name}-anchor-${index}.der`, der));
      const question = (bytes: Uint8Array, step: string) => ({
        pdf: folder.write(`${name}-${step}.pdf`, bytes),
        anchors: trusted,
        at,
      });
      const asked = question(pdf, "signed");
      const [ofDss, ofPyHanko, pdfsig, qpdf, openssl] = await Promise.all([
        dss.ask(asked),
        pyHanko.ask(asked),
        pdfsigComplaints(asked.pdf, expected),
        qpdfComplaints(asked.pdf),
        askOpenssl(pdf, { folder: folder.path, name, anchors, at, prefix: expected.prefix }),
      ]);
      const complaints = {
        dss: dssComplaints(ofDss, expected),
        pyHanko: pyHankoComplaints(ofPyHanko, expected),
        pdfsig,
        qpdf,
        openssl: [...openssl.complaints, ...missingFrom(openssl, expected)],
      };
      if (signedElsewhere === undefined) return complaints;
      const before = question(signedElsewhere, "before");
      const [dssBefore, pyHankoBefore] = await Promise.all([dss.ask(before), pyHanko.ask(before)]);
      complaints.dss.push(
        ...harmedSignatures(
          dssBefore,
          ofDss,
          (one) => `${one.indication} ${one.sub_indication} ${one.format}`,
        ),
      );
      complaints.pyHanko.push(
        ...harmedSignatures(
          pyHankoBefore,
          ofPyHanko,
          (one) => `${one.intact} ${one.valid} ${one.docmdp_ok}`,
        ),
      );
      return complaints;
    },
    close() {
      dss.close();
      pyHanko.close();
      folder.remove();
    },
  };
}

function missingFrom(
  asked: Awaited<ReturnType<typeof askOpenssl>>,
  { signatures, timestamps }: Pick<ServiceFile, "signatures" | "timestamps">,
): string[] {
  const found = `${asked.signatures} signatures, ${asked.timestamps} time-stamps`;
  const isWhole =
    asked.signatures === signatures &&
    asked.timestamps === timestamps &&
    asked.crls > 0 &&
    asked.ocsps > 0;
  return isWhole ? [] : [`${found}, ${asked.crls} lists and ${asked.ocsps} OCSP answers found`];
}
