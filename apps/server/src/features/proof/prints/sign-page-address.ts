import { ecdsaDerToRaw, parseCertificate, type Signer } from "@paraphe/pades/parts";
import { HASH_PREFIX_BYTES, signStatement, type StatementKey } from "@paraphe/proof/parts";

/** The copy that pages belong to. `sha256`: of the signed file it was made from; `address`: the print's page of verification, with its `sig`. */
export type PrintedCopy = {
  readonly printId: string;
  readonly address: string;
  readonly sha256: Uint8Array;
  readonly pageCount: number;
  readonly madeAt: Date;
};

const HALF_BYTES = 32;

/**
 * Gives what the code of a page holds: the address of its print, and a statement signed by the seal that can be checked without the service.
 * Shape: all those of one copy are equally long. `pageNumber` is 0 for a page that was added.
 * Errors: TypeError for a seal that is not on P-256.
 */
export async function signPageAddress(seal: Signer, copy: PrintedCopy, pageNumber: number): Promise<string> {
  const statement = {
    printId: copy.printId,
    pageNumber,
    pageCount: copy.pageCount,
    hashPrefix: copy.sha256.slice(0, HASH_PREFIX_BYTES),
    madeOn: copy.madeAt.toISOString().slice(0, 10),
  };
  return `${copy.address}#${await signStatement(statement, statementKey(seal))}`;
}

function statementKey(seal: Signer): StatementKey {
  const [certificate] = seal.certificates;
  if (certificate === undefined || seal.algorithm !== "ecdsa-p256-sha256") throw new TypeError("Expected a seal on P-256");
  return {
    subjectPublicKey: parseCertificate(certificate).subjectPublicKey,
    async sign(data) {
      const raw = ecdsaDerToRaw(await seal.sign(data), HALF_BYTES);
      if (raw === null) throw new TypeError("Expected an ECDSA value on P-256");
      return raw;
    },
  };
}
