import { issueCertificate, parseCertificate } from "@paraphe/pades/parts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Hsm } from "../../platform/hsm/hsm.ts";
import { ocspOf } from "./gather-long-term.ts";
import {
  type AuthorityPlatform,
  storeAuthority,
  loadAuthorities,
  openAuthorities,
  readAuthorities,
  retireAuthority,
} from "./authorities.ts";
import type { Authorities, Authority } from "./authority.ts";
import type { IssuedSigner } from "./issue-signer.ts";
import { addressesOf, serialHex } from "./make-authority.ts";
import { lockAuthorities } from "./store.ts";

const YEARS = 5;
/** Replaced while it still covers its signatures. */
const LAST_DAYS = 30;
const DAY_MS = 86_400_000;

/** A key has one certificate across starts. Needs the public half only. */
export async function certifyHsm(platform: AuthorityPlatform, hsm: Hsm): Promise<Authority> {
  const known = livingHsm(await openAuthorities(platform), hsm, platform.clock());
  if (known !== null) return known;
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const rows = await loadAuthorities(trx, platform);
    const authorities = readAuthorities(rows, platform);
    const made = livingHsm(authorities, hsm, platform.clock());
    if (made !== null) return made;
    const now = platform.clock();
    await retireAuthority(trx, platform, { purpose: "hsm", at: now, key: "destroyed" });
    const { ca } = authorities;
    const generation = rows.filter(({ purpose }) => purpose === "hsm").length + 1;
    const certificateDer = await issueSeal(platform, hsm, { ca, generation, now });
    const row = {
      id: platform.newId(),
      purpose: "hsm",
      issuerId: ca.id,
      certificateDer,
      privateKeyWrapped: null,
      createdAt: now,
      retiredAt: null,
      revokedAt: null,
    } as const;
    const { serialNumber, subject, notBefore, notAfter } = parseCertificate(certificateDer);
    const certificate = {
      serialNumber: serialHex(serialNumber),
      issuerId: ca.id,
      subject: subject.commonName,
      notBefore,
      notAfter,
      certificateDer,
    };
    await storeAuthority(trx, platform, { row, certificate });
    return {
      id: row.id,
      purpose: row.purpose,
      issuerId: ca.id,
      certificateDer,
      retiredAt: null,
      revokedAt: null,
      signer: null,
    };
  });
}

function issueSeal(
  platform: AuthorityPlatform,
  hsm: Hsm,
  { ca, generation, now }: Pick<Authorities, "ca"> & { generation: number; now: Date },
): Promise<Uint8Array> {
  const { organization, country } = platform.settings.pki;
  const caEnd = parseCertificate(ca.certificateDer).notAfter.getTime();
  return issueCertificate(ca.signer, {
    profile: "seal",
    subject: {
      commonName: `${organization} Cachet HSM${generation === 1 ? "" : ` G${generation}`}`,
      organization,
      country,
    },
    subjectPublicKey: hsm.subjectPublicKey,
    serialNumber: platform.random(16),
    notBefore: now,
    notAfter: new Date(Math.min(now.getTime() + YEARS * 365 * DAY_MS, caEnd)),
    addresses: addressesOf(ca.id, platform.settings),
  });
}

export function hsmSigner(
  {
    authorities,
    platform,
    hsm,
  }: { readonly authorities: Authorities; readonly platform: AuthorityPlatform; readonly hsm: Hsm },
  seal: Authority,
): IssuedSigner {
  const issuer = authorities.all.find(({ id }) => id === seal.issuerId);
  const certificates = [
    seal.certificateDer,
    ...(issuer === undefined ? [] : [issuer.certificateDer]),
  ];
  return {
    signer: { certificates, algorithm: hsm.algorithm, sign: (data) => hsm.sign(data) },
    certificateDer: seal.certificateDer,
    serialNumber: serialHex(parseCertificate(seal.certificateDer).serialNumber),
    recording: null,
    attest: async () => {
      const answer = await ocspOf(authorities, platform, seal.certificateDer);
      if (answer === null)
        throw new Error("Nobody answers for the issuer of the organisation's seal");
      return answer;
    },
  };
}

function livingHsm({ all }: Authorities, hsm: Hsm, now: Date): Authority | null {
  const living = all.find(({ purpose, retiredAt }) => purpose === "hsm" && retiredAt === null);
  if (living === undefined) return null;
  const { subjectPublicKey, notAfter } = parseCertificate(living.certificateDer);
  const isSame = Buffer.compare(subjectPublicKey, hsm.subjectPublicKey) === 0;
  return isSame && notAfter.getTime() - now.getTime() > LAST_DAYS * DAY_MS ? living : null;
}
