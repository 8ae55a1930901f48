import { parseCertificate } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { type AuthorityPlatform, openAuthorities } from "./authorities.ts";
import { isAuthentic } from "./authority.ts";
import { serialHex } from "./make-authority.ts";
import {
  AUTHORITY_PURPOSES,
  type AuthorityPurpose,
  findIssued,
  loadLatestCrl,
  selectAuthorities,
} from "./store.ts";

export type KeyFacts = {
  readonly purpose: AuthorityPurpose;
  readonly name: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly hasKey: boolean;
  readonly listUntil: Date | null;
};

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

/**
 * `foreign`: ids of rows without a valid MAC, which nothing relies on. `missing`: purposes without a
 * current authority.
 */
type AuthorityRows = {
  readonly count: number;
  readonly foreign: readonly string[];
  readonly missing: readonly string[];
};

export async function checkAuthorityRows({
  db,
  secrets,
}: Pick<Platform, "db" | "secrets">): Promise<AuthorityRows> {
  const rows = await selectAuthorities(db);
  const living = rows.filter((row) => row.retiredAt === null && isAuthentic(secrets, row));
  return {
    count: rows.length,
    foreign: rows.filter((row) => !isAuthentic(secrets, row)).map(({ id }) => id),
    missing: AUTHORITY_PURPOSES.filter((purpose) => living.every((row) => row.purpose !== purpose)),
  };
}

export async function warnOfForeignAuthorities(
  platform: Pick<Platform, "db" | "secrets" | "log">,
): Promise<void> {
  for (const id of (await checkAuthorityRows(platform)).foreign)
    platform.log.warn(
      { authority: id },
      "an authority's row was not written by this service: nothing is believed of it (paraphe audit check)",
    );
}
