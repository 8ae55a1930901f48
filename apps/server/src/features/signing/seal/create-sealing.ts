import type { Evidence, LongTermNeeds } from "@paraphe/pades";
import { type KeyedQueue, serialByKey } from "../../../platform/concurrency.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { IssuedSigner, Trust } from "../../trust/public.ts";

/** Who vouches for a signature: its signer's issuers, and all that are leaned on. */
type Vouching = { readonly issued: IssuedSigner; readonly evidence: Evidence };

/**
 * What files signed by one-time signers need to prove themselves: but for the signer's own certificate the same from one to the next, as long as
 * the authorities are. A file that others have signed too needs more.
 */
type RememberedNeeds = {
  /** Gives what a file of this signer alone needs, as far as the last one says; null when there is none, or the authorities have changed. */
  recall(vouching: Vouching): LongTermNeeds | null;
  keep(vouching: Vouching, needs: LongTermNeeds): void;
  /** What was remembered was not enough. */
  forget(): void;
};

type Kept = {
  readonly leaf: Uint8Array;
  readonly authorities: readonly Uint8Array[];
  readonly needs: LongTermNeeds;
};

/** Gives the memory of one process. */
export function createRememberedNeeds(): RememberedNeeds {
  let kept: Kept | null = null;
  return {
    recall(vouching) {
      if (kept === null || !areSame(kept.authorities, authoritiesOf(vouching))) return null;
      const { leaf, needs } = kept;
      const inItsPlace = (der: Uint8Array) =>
        isSame(der, leaf) ? vouching.issued.certificateDer : der;
      return {
        certificates: needs.certificates.map(inItsPlace),
        revocations: needs.revocations.map(({ certificate, issuer }) => ({
          certificate: inItsPlace(certificate),
          issuer,
        })),
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

/** What sealing needs. */
export type SealingDeps = {
  readonly platform: Platform;
  readonly trust: Trust;
  /** Holds this process's sealings of one envelope in line, so that each is made on the one before. */
  readonly turns: KeyedQueue;
  readonly needs: RememberedNeeds;
};

/** Each holds a file and what is made of it in memory; two cores are busy with fewer. */
const SEALINGS_AT_ONCE = 4;

/** Gives what the sealing of one process shares. Made once, in `compose.ts`. */
export function createSealing(platform: Platform, trust: Trust): SealingDeps {
  return {
    platform,
    trust,
    turns: serialByKey({ places: SEALINGS_AT_ONCE }),
    needs: createRememberedNeeds(),
  };
}
