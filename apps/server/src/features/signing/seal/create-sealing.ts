import type { Evidence, LongTermNeeds } from "@paraphe/pades";
import { type KeyedQueue, serialByKey } from "../../../platform/concurrency.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { IssuedSigner, Trust } from "../../trust/public.ts";

type Vouching = { readonly issued: IssuedSigner; readonly evidence: Evidence };

/**
 * Long-term needs of the last file. One-time signers share them, except for their own certificate,
 * until the authorities change.
 */
type RememberedNeeds = {
  /**
   * Gives null when none are remembered or the authorities changed. `others`: certificates (DER) of
   * the file's earlier signers.
   */
  recall(vouching: Vouching, others?: readonly Uint8Array[]): LongTermNeeds | null;
  keep(vouching: Vouching, needs: LongTermNeeds): void;
  /** Called when the needs did not suffice. */
  forget(): void;
};

type Kept = {
  readonly leaf: Uint8Array;
  readonly authorities: readonly Uint8Array[];
  readonly needs: LongTermNeeds;
};

export function createRememberedNeeds(): RememberedNeeds {
  let kept: Kept | null = null;
  return {
    recall(vouching, others = []) {
      if (kept === null || !areSame(kept.authorities, authoritiesOf(vouching))) return null;
      const { leaf, needs } = kept;
      const inItsPlace = (der: Uint8Array) =>
        isSame(der, leaf) ? [...others, vouching.issued.certificateDer] : [der];
      return {
        certificates: needs.certificates.flatMap(inItsPlace),
        revocations: needs.revocations.flatMap(({ certificate, issuer }) =>
          inItsPlace(certificate).map((der) => ({ certificate: der, issuer })),
        ),
      };
    },
    keep(vouching, needs) {
      kept = { leaf: vouching.issued.certificateDer, authorities: authoritiesOf(vouching), needs };
    },
    forget() {
      kept = null;
    },
  };
}

function authoritiesOf({ issued, evidence }: Vouching): readonly Uint8Array[] {
  return [
    ...issued.signer.certificates.slice(1),
    ...evidence.trustAnchors.signers,
    ...evidence.trustAnchors.timestamps,
    ...(evidence.certificates ?? []),
  ];
}

function areSame(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.length === right.length && left.every((der, index) => isSame(der, right[index]));
}

function isSame(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return right !== undefined && Buffer.compare(left, right) === 0;
}

export type SealingDeps = {
  readonly platform: Platform;
  readonly trust: Trust;
  /** One at a time for each envelope, as each sealing builds on the one before. */
  readonly turns: KeyedQueue;
  readonly needs: RememberedNeeds;
};

/** Each has a file and its result in memory; fewer would leave two cores idle at times. */
const SEALINGS_AT_ONCE = 4;

export function createSealing(platform: Platform, trust: Trust): SealingDeps {
  return {
    platform,
    trust,
    turns: serialByKey({ places: SEALINGS_AT_ONCE }),
    needs: createRememberedNeeds(),
  };
}

export type SigningDeps = { readonly platform: Platform; readonly sealing: SealingDeps };

export function createSigning(platform: Platform, sealing: SealingDeps): SigningDeps {
  return { platform, sealing };
}
