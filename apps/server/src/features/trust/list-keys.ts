import { parseCertificate } from "@paraphe/pades/parts";
import { type AuthorityPlatform, openAuthorities } from "./authorities.ts";
import { serialHex } from "./serial-hex.ts";
import { type AuthorityPurpose, findIssued, loadLatestCrl } from "./store.ts";

/** One authority, as an operator sees it. */
export type KeyFacts = {
  readonly purpose: AuthorityPurpose;
  readonly name: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly hasKey: boolean;
  /** When the list it last signed ends; null when it signed none. */
  readonly listUntil: Date | null;
};

/** Gives every authority that ever was, oldest first. */
export async function listKeys(platform: AuthorityPlatform): Promise<readonly KeyFacts[]> {
  const { all } = await openAuthorities(platform);
  return Promise.all(
    all.map(async ({ id, purpose, certificateDer, retiredAt, signer }) => {
      const { subject, serialNumber, notBefore, notAfter } = parseCertificate(certificateDer);
      const serial = serialHex(serialNumber);
      return {
        purpose,
        name: subject.commonName,
        serialNumber: serial,
        notBefore,
        notAfter,
        retiredAt,
        revokedAt: (await findIssued(platform.db, serial))?.revokedAt ?? null,
        hasKey: signer !== null,
        listUntil: (await loadLatestCrl(platform.db, id))?.nextUpdate ?? null,
      };
    }),
  );
}
