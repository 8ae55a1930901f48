/**
 * The policies this service names in what it issues, in the arc 2.25 that asks for no registration (ITU-T X.667 §6.3).
 * They claim no conformity to an ETSI policy; the page `/politique-de-certification` says in French what they mean.
 */
const PARAPHE_ARC = "2.25.1348563553";
/** One-time certificates of natural persons, with their e-mail address where something mailed there came back. */
export const SIGNER_POLICY_OID = `${PARAPHE_ARC}.1.1`;
/** Time-stamps of the built-in authority: the machine's clock, one second. */
export const TIMESTAMP_POLICY_OID = `${PARAPHE_ARC}.2.1`;
