/**
 * In the arc 2.25, which needs no registration (ITU-T X.667 §6.3). They claim no ETSI policy;
 * `/politique-de-certification` explains them in French.
 */
const PARAPHE_ARC = "2.25.1348563553";
/** One-time certificates of natural persons, with a verified e-mail address. */
export const SIGNER_POLICY_OID = `${PARAPHE_ARC}.1.1`;
/** The built-in authority: the machine's clock, one second. */
export const TIMESTAMP_POLICY_OID = `${PARAPHE_ARC}.2.1`;
