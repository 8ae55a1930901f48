import { answerTimestampRequest, createTimestampToken, type TimestampAuthority, type TimestampTokenOptions } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import type { LivingAuthorities } from "./living-authorities.ts";
import { TIMESTAMP_POLICY_OID } from "./policies.ts";

/** The built-in RFC 3161 authority: in this process for our own signatures, over HTTP for anybody. */
export type BuiltInTsa = TimestampAuthority & {
  /** Answers a DER TimeStampReq with a DER TimeStampResp, whatever the bytes. */
  answer(requestDer: Uint8Array): Promise<Uint8Array>;
};

export function createBuiltInTsa(authorities: LivingAuthorities, platform: Pick<Platform, "clock" | "random">): BuiltInTsa {
  const options = async (): Promise<TimestampTokenOptions> => ({
    signer: (await authorities.fresh()).tsa.signer,
    policyOid: TIMESTAMP_POLICY_OID,
    serialNumber: platform.random(16),
    now: platform.clock(),
  });
  return {
    timestamp: async (imprint) =>
      createTimestampToken({ hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true }, await options()),
    answer: async (requestDer) => answerTimestampRequest(requestDer, { ...(await options()), includeChain: "chain" }),
  };
}
