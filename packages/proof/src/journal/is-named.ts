import type { SignatureReport } from "@paraphe/pades";

/** X.520 upper bound of a common name, in characters. Source: RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

/** Says whether a certificate bears this name: a person's does; the organisation's, issued under no policy of signers', signs for several. */
export function isNamed(name: string, { subject, policyOids }: NonNullable<SignatureReport["certificate"]>): boolean {
  return policyOids.length === 0 || [...name].slice(0, MAX_COMMON_NAME).join("") === subject.commonName;
}
