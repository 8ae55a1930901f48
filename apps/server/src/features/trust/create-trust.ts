import type {
  Evidence,
  LongTermData,
  LongTermNeeds,
  Signer,
  TimestampAuthority,
} from "@paraphe/pades";
import type { Platform } from "../../platform/platform.ts";
import { type Authorities, type Authority, issuerOf } from "./authority.ts";
import { builtInChain, createBuiltInTsa, withTimestampChain } from "./built-in-tsa.ts";
import { createExternalTsa, openTsaAnchors } from "./external-tsa.ts";
import {
  answerOcsp,
  gatherLongTerm,
  type KeptRevocation,
  ocspOf,
  publishCrl,
} from "./gather-long-term.ts";
import { certifyHsm, hsmSigner } from "./hsm-signer.ts";
import { type IssuedSigner, issueSigner, type SignerPerson } from "./issue-signer.ts";
import { openLivingAuthorities } from "./living-authorities.ts";
import { type SealKey, sealKeys } from "./sign-jws.ts";
import type { CrlRow } from "./store.ts";

/** A list as published: who signed it, its number among theirs. */
export type PublishedCrl = {
  readonly issuerId: string;
  readonly number: number;
  readonly der: Uint8Array;
};

/** Who vouches for signatures: the built-in PKI, its time-stamps, and what others need to check them. */
export type Trust = {
  /** Makes a one-time signer for this person. */
  issueSigner(person: SignerPerson): Promise<IssuedSigner>;
  /** The organisation's seal, its key in a hardware token; null without one, or while it does not answer. */
  hsmSigner(): Promise<IssuedSigner | null>;
  /** The authority that signatures are stamped by: `TSA_URL`, or the built-in one. Throws `TimestampUnavailableError`. */
  readonly timestamp: TimestampAuthority;
  /** Room to keep in a signature for one of its tokens, in bytes. */
  readonly timestampReserveBytes: number;
  /** The organisation's seal ('cachet'). */
  readonly seal: Signer;
  /** What a validation leans on: roots and issuers that ever were; outside time-stamping authorities are trusted for time-stamps alone. */
  evidence(): Promise<Evidence>;
  /** The same, with the revocation lists of this moment. */
  currentEvidence(): Promise<Evidence>;
  /** What makes a file prove itself for the long term, and the time-stamp about to be put on it. Throws `TimestampUnavailableError`. */
  gatherLongTerm(needs: LongTermNeeds, kept: KeptRevocation): Promise<LongTermData>;
  /** DER certificates of the service's seals, the retired ones too. */
  seals(): Promise<readonly Uint8Array[]>;
  /** The keys of the service's seal as a JWK set has them, the retired ones too. */
  sealKeys(): Promise<readonly SealKey[]>;
  /** An OCSP answer of this moment about a certificate of ours (DER), or null. */
  ocsp(certificateDer: Uint8Array): Promise<Uint8Array | null>;
  answerOcsp(requestDer: Uint8Array): Promise<Uint8Array>;
  answerTimestamp(requestDer: Uint8Array): Promise<Uint8Array>;
  /** The list of the living signing authority or root, or of the issuer of this id, retired or not; null when there is none. */
  crl(issuer: "ca" | "root" | { readonly id: string }): Promise<PublishedCrl | null>;
  /** The list of whoever of ours issued this certificate; null when there is none. */
  crlAbout(certificateDer: Uint8Array): Promise<PublishedCrl | null>;
  /** DER certificates that are published: the living authorities', and every issuer that ever was, the living ones first. */
  readonly certificates: {
    readonly root: Uint8Array;
    readonly ca: Uint8Array;
    readonly tsa: Uint8Array;
    readonly issuers: readonly { readonly id: string; readonly der: Uint8Array }[];
  };
};

/** The parts of the platform that the PKI rests on. */
export type TrustPlatform = Pick<
  Platform,
  "db" | "secrets" | "clock" | "random" | "newId" | "settings" | "hsm"
>;

/** Opens the PKI of this service, made at its very first start. */
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
  const listOf = async (issuer: Authority | undefined): Promise<PublishedCrl | null> => {
    const crl = issuer === undefined ? null : await publishCrl(platform, issuer);
    return crl === null || issuer === undefined ? null : published(issuer, crl);
  };
  return {
    issueSigner: async (person) => issueSigner(await authorities.fresh(), platform, person),
    async hsmSigner() {
      if (platform.hsm === null || hsmSeal === null || !(await platform.hsm.isReady())) return null;
      return hsmSigner(
        { authorities: await authorities.fresh(), platform, hsm: platform.hsm },
        hsmSeal,
      );
    },
    timestamp: external ?? builtIn,
    timestampReserveBytes: external === null ? BUILT_IN_TOKEN_BYTES : EXTERNAL_TOKEN_BYTES,
    get seal() {
      return authorities.last().seal.signer;
    },
    evidence,
    async currentEvidence() {
      const lists = await Promise.all(issuersOf(await authorities.fresh()).map(listOf));
      return {
        ...(await evidence()),
        crls: lists.flatMap((list) => (list === null ? [] : [list.der])),
      };
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
    ocsp: async (certificateDer) => ocspOf(await authorities.fresh(), platform, certificateDer),
    answerOcsp: async (requestDer) => answerOcsp(await authorities.fresh(), platform, requestDer),
    answerTimestamp: (requestDer) => builtIn.answer(requestDer),
    async crl(issuer) {
      const known = await authorities.fresh();
      return listOf(
        typeof issuer === "string"
          ? known[issuer]
          : issuersOf(known).find(({ id }) => id === issuer.id),
      );
    },
    crlAbout: async (certificateDer) =>
      listOf(issuerOf(await authorities.fresh(), certificateDer) ?? undefined),
    get certificates() {
      const known = authorities.last();
      return {
        root: known.root.certificateDer,
        ca: known.ca.certificateDer,
        tsa: known.tsa.certificateDer,
        issuers: issuersOf(known).map(({ id, certificateDer }) => ({ id, der: certificateDer })),
      };
    },
  };
}

/** Two certificates and a signature, with room to spare. */
const BUILT_IN_TOKEN_BYTES = 4_096;
/** Outside authorities send chains of RSA certificates. */
const EXTERNAL_TOKEN_BYTES = 12_288;
const NOBODY = { ocsp: async () => null, crl: async () => null };

/** Whoever issues: signing authorities and roots, the living ones first. */
function issuersOf({ ca, root, all }: Authorities): readonly Authority[] {
  const retired = all.filter(
    ({ id, purpose }) => (purpose === "ca" || purpose === "root") && id !== ca.id && id !== root.id,
  );
  return [ca, root, ...retired];
}

function published(issuer: Authority, crl: CrlRow): PublishedCrl {
  return { issuerId: issuer.id, number: crl.number, der: crl.der };
}
