import { toBase64 } from "@paraphe/kernel/bytes";
import type { LongTermNeeds } from "@paraphe/pades";
import {
  answerTimestampRequest,
  createTimestampToken,
  type TimestampAuthority,
  type TimestampTokenOptions,
} from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { type Authorities, TIMESTAMP_POLICY_OID } from "./authority.ts";
import type { LivingAuthorities } from "./authorities.ts";

/** DER, from the authority's own certificate to the root or anchor. */
export type TimestampChain = readonly Uint8Array[];

export function builtInChain({ tsa, all }: Authorities): TimestampChain {
  const chain = [tsa.certificateDer];
  for (
    let issuer = all.find(({ id }) => id === tsa.issuerId);
    issuer !== undefined;
    issuer = parentOf(issuer.issuerId)
  )
    chain.push(issuer.certificateDer);
  return chain;

  function parentOf(id: string | null) {
    return all.find((authority) => authority.id === id);
  }
}

/** Adds the needs of the time-stamp to come. */
export function withTimestampChain(needs: LongTermNeeds, chain: TimestampChain): LongTermNeeds {
  const pairs = chain
    .slice(0, -1)
    .map((certificate, index) => ({ certificate, issuer: chain[index + 1] as Uint8Array }));
  return {
    certificates: distinct([...needs.certificates, ...chain], (certificate) => certificate),
    revocations: distinct([...needs.revocations, ...pairs], ({ certificate }) => certificate),
  };
}

function distinct<T>(list: readonly T[], derOf: (item: T) => Uint8Array): readonly T[] {
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = toBase64(derOf(item));
    return !seen.has(key) && seen.add(key);
  });
}

/** RFC 3161: in process for our signatures, over HTTP for anybody. */
type BuiltInTsa = TimestampAuthority & {
  /** DER TimeStampReq to DER TimeStampResp, for any bytes. */
  answer(requestDer: Uint8Array): Promise<Uint8Array>;
};

export function createBuiltInTsa(
  authorities: LivingAuthorities,
  platform: Pick<Platform, "clock" | "random">,
): BuiltInTsa {
  const options = async (): Promise<TimestampTokenOptions> => ({
    signer: (await authorities.fresh()).tsa.signer,
    policyOid: TIMESTAMP_POLICY_OID,
    serialNumber: platform.random(16),
    now: platform.clock(),
  });
  return {
    timestamp: async (imprint) =>
      createTimestampToken(
        { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
        await options(),
      ),
    answer: async (requestDer) =>
      answerTimestampRequest(requestDer, { ...(await options()), includeChain: "chain" }),
  };
}
