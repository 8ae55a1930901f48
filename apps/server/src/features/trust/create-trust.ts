import type {
  Evidence,
  LongTermData,
  LongTermNeeds,
  Signer,
  TimestampAuthority,
} from "@paraphe/pades";
import type { Platform } from "../../platform/platform.ts";
import {
  builtInChain,
  createBuiltInTsa,
  createExternalTsa,
  openTsaAnchors,
  withTimestampChain,
} from "./timestamp-authorities.ts";
import {
  answerOcsp,
  currentCrl,
  gatherLongTerm,
  type StoredRevocation,
  ocspOf,
  publishCrl,
} from "./gather-long-term.ts";
import { type IssuedSigner, issueSigner, type SignerPerson } from "./issue-signer.ts";
import {
  type LivingAuthorities,
  openLivingAuthorities,
  type AuthorityPlatform,
  storeAuthority,
  loadAuthorities,
  openAuthorities,
  readAuthorities,
  retireAuthority,
} from "./authorities.ts";
import { type SealKey, sealKeys } from "./service-seal.ts";
import {
  type CrlJson,
  type CrlRow,
  listFrom,
  listsOf,
  loadRevocation,
  lockAuthorities,
} from "./store.ts";
import { issueCertificate, parseCertificate } from "@paraphe/pades/parts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { type Hsm, HsmUnavailableError } from "../../platform/hsm/hsm.ts";
import {
  type Authorities,
  type Authority,
  issuerOf,
  addressesOf,
  serialHex,
} from "./make-authority.ts";

/** A published list; `number` counts per issuer. */
export type PublishedCrl = {
  readonly issuerId: string;
  readonly number: number;
  readonly der: Uint8Array;
};

export type SeenLists = readonly CrlJson[];

/** Issues certificates and time-stamps, and gives what validation needs. */
export type Trust = {
  issueSigner(person: SignerPerson): Promise<IssuedSigner>;
  /** Null: no token, or away. */
  hsmSigner(): Promise<IssuedSigner | null>;
  /** Errors: `HsmUnavailableError` where `hsmSigner` gives null. */
  requireHsmSigner(): Promise<IssuedSigner>;
  /** From `TSA_URL`, or built in. Errors: `TimestampUnavailableError`. */
  readonly timestamp: TimestampAuthority;
  readonly timestampReserveBytes: number;
  readonly seal: Signer;
  /**
   * Gives roots and issuers, retired too; external time-stamping authorities count for time-stamps
   * alone.
   */
  evidence(): Promise<Evidence>;
  /** Adds this moment's revocation lists. */
  currentEvidence(): Promise<Evidence>;
  /** Gathers for a file and its coming time-stamp. Errors: `TimestampUnavailableError`. */
  gatherLongTerm(needs: LongTermNeeds, kept: StoredRevocation): Promise<LongTermData>;
  seals(): Promise<readonly Uint8Array[]>;
  /** Keys of the JWK set, retired ones too. */
  sealKeys(): Promise<readonly SealKey[]>;
  ocsp(certificateDer: Uint8Array): Promise<Uint8Array | null>;
  answerOcsp(requestDer: Uint8Array): Promise<Uint8Array>;
  answerTimestamp(requestDer: Uint8Array): Promise<Uint8Array>;
  /** Gives the current authority's, or this issuer's; null: none. */
  crl(issuer: "ca" | "root" | { readonly id: string }): Promise<PublishedCrl | null>;
  /** Gives its issuer's; null: none. `seen` was just read. */
  crlAbout(certificateDer: Uint8Array, seen?: SeenLists): Promise<PublishedCrl | null>;
  /** Reads what `crlAbout` needs for the next signer. */
  seenLists(): ReturnType<typeof listsOf>;
  /** DER: current ones, and all issuers, current first. */
  readonly certificates: {
    readonly root: Uint8Array;
    readonly ca: Uint8Array;
    readonly tsa: Uint8Array;
    readonly issuers: readonly { readonly id: string; readonly der: Uint8Array }[];
  };
};

export type TrustPlatform = Pick<
  Platform,
  "db" | "secrets" | "clock" | "random" | "newId" | "settings" | "hsm"
>;

export async function createTrust(platform: TrustPlatform): Promise<Trust> {
  const hsmSeal = platform.hsm === null ? null : await certifyHsm(platform, platform.hsm);
  const authorities = await openLivingAuthorities(platform);
  const builtIn = createBuiltInTsa(authorities, platform);
  const anchors = openTsaAnchors(platform);
  const { tsaUrl: url, tsaPolicy: policyOid } = platform.settings;
  const external = url === null ? null : createExternalTsa(platform, { url, policyOid, anchors });
  const evidence = async (): Promise<Evidence> => {
    const { roots, chain } = await authorities.fresh();
    const trustAnchors = { signers: roots, timestamps: [...roots, ...(await anchors.all())] };
    return { trustAnchors, certificates: [...chain, ...(external?.intermediates() ?? [])] };
  };
  const { currentLists, ...revocation } = revocationOf(authorities, platform);
  return {
    ...revocation,
    issueSigner: async (person) => issueSigner(await authorities.fresh(), platform, person),
    ...hsmSigners(platform, hsmSeal, authorities),
    timestamp: external ?? builtIn,
    timestampReserveBytes: external === null ? BUILT_IN_TOKEN_BYTES : EXTERNAL_TOKEN_BYTES,
    get seal() {
      return authorities.last().seal.signer;
    },
    evidence,
    async currentEvidence() {
      const crls = await currentLists();
      return { ...(await evidence()), crls };
    },
    async gatherLongTerm(needs, kept) {
      const known = await authorities.fresh();
      const own = withTimestampChain(
        needs,
        external === null ? builtInChain(known) : await external.chain(),
      );
      return gatherLongTerm(
        { authorities: known, platform, outside: external ?? NOBODY },
        own,
        kept,
      );
    },
    seals: async () =>
      (await authorities.fresh()).all
        .filter(({ purpose }) => purpose === "seal")
        .map((seal) => seal.certificateDer),
    sealKeys: async () => sealKeys(await authorities.fresh()),
    answerTimestamp: (requestDer) => builtIn.answer(requestDer),
    get certificates() {
      return publishedCertificates(authorities.last());
    },
  };
}

function publishedCertificates(known: Authorities): Trust["certificates"] {
  return {
    root: known.root.certificateDer,
    ca: known.ca.certificateDer,
    tsa: known.tsa.certificateDer,
    issuers: issuersOf(known).map(({ id, certificateDer }) => ({ id, der: certificateDer })),
  };
}

function revocationOf(authorities: LivingAuthorities, platform: TrustPlatform) {
  const listOf = async (issuer: Authority | undefined): Promise<PublishedCrl | null> => {
    const crl = issuer === undefined ? null : await publishCrl(platform, issuer);
    return crl === null || issuer === undefined ? null : published(issuer, crl);
  };
  return {
    async currentLists(): Promise<readonly Uint8Array[]> {
      const issuers = issuersOf(await authorities.fresh());
      const issuerIds = issuers.map(({ id }) => id);
      const latest = await loadRevocation(platform.db, { issuerIds, serialNumbers: [] });
      const lists = await Promise.all(
        issuers.map((issuer) => currentCrl(platform, issuer, latest.list(issuer.id))),
      );
      return lists.flatMap((list) => (list === null ? [] : [list.der]));
    },
    ocsp: async (certificateDer: Uint8Array) =>
      ocspOf(await authorities.fresh(), platform, certificateDer),
    answerOcsp: async (requestDer: Uint8Array) =>
      answerOcsp(await authorities.fresh(), platform, requestDer),
    async crl(issuer: Parameters<Trust["crl"]>[0]) {
      const known = await authorities.fresh();
      return listOf(
        typeof issuer === "string"
          ? known[issuer]
          : issuersOf(known).find(({ id }) => id === issuer.id),
      );
    },
    async crlAbout(certificateDer: Uint8Array, seen: SeenLists = []) {
      const issuer = issuerOf(await authorities.fresh(), certificateDer);
      const latest = issuer && listFrom(seen, issuer.id);
      if (issuer === null || latest === null) return listOf(issuer ?? undefined);
      const crl = await currentCrl(platform, issuer, latest);
      return crl && published(issuer, crl);
    },
    seenLists: () => listsOf([authorities.last().ca.id]),
  };
}

/** Room for two certificates and a signature. */
const BUILT_IN_TOKEN_BYTES = 4_096;
const EXTERNAL_TOKEN_BYTES = 12_288;
const NOBODY = { ocsp: async () => null, crl: async () => null };

function issuersOf({ ca, root, all }: Authorities): readonly Authority[] {
  const retired = all.filter(
    ({ id, purpose }) => (purpose === "ca" || purpose === "root") && id !== ca.id && id !== root.id,
  );
  return [ca, root, ...retired];
}

function published(issuer: Authority, crl: CrlRow): PublishedCrl {
  return { issuerId: issuer.id, number: crl.number, der: crl.der };
}

const YEARS = 5;
/** A certificate is used until so many days before its end. */
const LAST_DAYS = 30;
const DAY_MS = 86_400_000;

/** Gives the public half one certificate across starts. */
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

function hsmSigners(
  platform: TrustPlatform,
  seal: Authority | null,
  authorities: LivingAuthorities,
): Pick<Trust, "hsmSigner" | "requireHsmSigner"> {
  const { hsm } = platform;
  async function hsmSigner(): Promise<IssuedSigner | null> {
    if (hsm === null || seal === null || !(await hsm.isReady())) return null;
    return signerOfToken({ authorities: await authorities.fresh(), platform, hsm }, seal);
  }
  return {
    hsmSigner,
    async requireHsmSigner() {
      const signer = await hsmSigner();
      if (signer === null) throw new HsmUnavailableError("The organisation's key does not answer");
      return signer;
    },
  };
}

function signerOfToken(
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
