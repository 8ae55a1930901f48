import {
  askOpenssl,
  dssComplaints,
  harmedSignatures,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "../../packages/pades/interop/complaints.ts";
import {
  unavailableValidators,
  openDss,
  openPyHanko,
} from "../../packages/pades/interop/validators.ts";
import { missingTool, temporaryFolder } from "../../packages/pades/interop/tool.ts";

/** A file that the service signed and archived, and what a stranger who holds the roots should find in it. */
export type ServiceFile = {
  readonly name: string;
  readonly pdf: Uint8Array;
  /** What the names of the service's fields in this file begin with. */
  readonly prefix: string;
  readonly signatures: number;
  readonly timestamps: number;
  /** The only trusted certificates (DER). */
  readonly anchors: readonly Uint8Array[];
  /** When the validators look at it: while the signers' certificates are in force, for openssl knows no proof of existence. */
  readonly at: Date;
  /** The file as it was uploaded, when others had signed it: their signatures must be worth what they were. */
  readonly signedElsewhere?: Uint8Array;
};

export type Validators = {
  /** Everything that DSS, pyHanko, pdfsig, qpdf and openssl hold against a file. */
  complaintsAbout(file: ServiceFile): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): void;
};

export const NO_COMPLAINT = { dss: [], pyHanko: [], pdfsig: [], qpdf: [], openssl: [] } as const;

/** Why the validators cannot be asked, or false when they can. */
export const missingValidators = (): string | false =>
  missingTool("qpdf") || missingTool("pdfsig") || missingTool("openssl") || unavailableValidators();

/** Opens each validator once, for all the files of a test. */
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
